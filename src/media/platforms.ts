// The major video platforms: their pages are never media files, and asking them costs more than asking other sites.

const PLATFORMS: ReadonlySet<string> = new Set(
  (
    'youtube.com youtu.be youtube-nocookie.com x.com twitter.com tiktok.com instagram.com facebook.com fb.watch vimeo.com ' +
    'dailymotion.com reddit.com twitch.tv linkedin.com threads.net soundcloud.com'
  ).split(' '),
)

export function isVideoPlatform(url: URL): boolean {
  return PLATFORMS.has(url.hostname.replace(/^(?:www|m|mobile|music)\./, ''))
}
