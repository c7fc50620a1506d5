// The console's entry in the browser.

import { render } from 'preact'
import { App } from './app.tsx'
import { installRouter } from './router.ts'
import { loadSession } from './session.ts'
import { applyTheme } from './theme.ts'

applyTheme()
installRouter()
void loadSession()
const root = document.getElementById('app')
if (root) render(<App />, root)
