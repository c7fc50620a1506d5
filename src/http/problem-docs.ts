// What each error code means and what to do about it: data for the reference and for the page that `docs_url` points to.

import type { ProblemCode } from '../lib/problem.ts'

export const PROBLEM_DOCS: Readonly<Record<ProblemCode, string>> = {
  request_body_required: 'The request has no body. Send a JSON object with Content-Type: application/json.',
  missing_parameter: 'A required parameter is absent, null, empty or blank. The message names it.',
  invalid_parameter:
    'A parameter has the wrong type or value. The message names it and says what it must be.',
  invalid_url: 'The URL is malformed. Send a complete http or https URL.',
  unsupported_url:
    'The URL is not one that can be fetched: only http(s), without credentials, on a public host.',
  unsupported_platform: 'The endpoint does not work with this platform.',
  no_videos_found: 'The post or page has no video.',
  video_too_long:
    'Synchronous requests take media of up to 10 minutes. Use the asynchronous endpoint instead.',
  invalid_schema: 'The extraction schema is not valid. The message names the place.',
  input_too_large: 'The input is larger than accepted. JSON bodies may have 1 MiB.',
  invalid_cursor: 'The pagination cursor is not one that this task gave out. Start again without a cursor.',
  unauthorized:
    'The API key is missing, unknown, revoked or expired, or its account is disabled. Send a valid key in the X-API-Key header. Answers of this kind have no machine code.',
  limit_exceeded:
    'The account has not enough credits, or no active subscription. Nothing was created or charged.',
  access_denied: 'The API key lacks the permission for this endpoint. Use a key that has it.',
  content_restricted: 'The content needs a login or an age check and cannot be fetched.',
  video_not_found: 'The video does not exist. Check the URL.',
  video_unavailable: 'The video exists but cannot be accessed (private, removed, or blocked).',
  transcript_not_available: 'No transcript can be had for this video.',
  file_not_found: 'The account has no such file.',
  task_not_found:
    'The task is unknown, has expired, or belongs to another account. Tasks last one hour after their end.',
  no_subscription: 'The account has no active subscription.',
  not_found: 'There is nothing at this address. The reference lists every endpoint.',
  model_not_found: 'There is no such speech model, or it is not installed. GET /v1/models lists them.',
  method_not_allowed: 'The address exists but not for this method. The Allow header lists the right ones.',
  storage_quota_exceeded: 'The storage of the account is full. Delete files or change the plan.',
  rate_limit_exceeded: 'Too many requests. Wait as long as the Retry-After header says.',
  too_many_active_jobs: 'Too many tasks of the account are running. Wait until one has finished.',
  geo_restricted: 'The content is not available in the region that the server fetches from.',
  metadata_fetch_failed:
    'The metadata of the video or file could not be fetched. Trying again later may help.',
  audio_extraction_failed: 'No audio could be taken from the media: it is damaged or has no audio track.',
  transcription_failed: 'Speech recognition failed. Trying again may help.',
  extraction_failed: 'The structured extraction failed. Trying again may help.',
  internal_server_error: 'An unexpected error on the server. Report it with the X-Request-Id of the answer.',
  upstream_failed:
    'A page or post could not be fetched from its site. Answers of this kind have no machine code.',
  system_overload: 'The server is overloaded for the moment. Wait as long as the Retry-After header says.',
  storage_not_configured: 'File storage is not available on this server.',
}
