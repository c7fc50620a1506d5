declare module '*.sql' {
  const text: string
  export default text
}

declare module '*.sh' {
  const text: string
  export default text
}

declare module '*.md' {
  const text: string
  export default text
}

declare module '*.mp3' {
  const path: string
  export default path
}

declare module 'swagger-ui-dist/swagger-ui-bundle.js' {
  const path: string
  export default path
}

declare module 'swagger-ui-dist/swagger-ui.css' {
  const path: string
  export default path
}

declare module '*.css'

/** A thread is Bun's; the browser's type of it, which the console's sources bring in, knows less. */
interface Worker {
  unref(): void
}
