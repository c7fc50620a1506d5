// The product's version: the one in package.json, which the build inlines.

import manifest from '../../package.json' with { type: 'json' }

export const VERSION: string = manifest.version
