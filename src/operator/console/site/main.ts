import { h, render } from 'preact'
import { App } from './app.ts'
import { createRouter } from './router.ts'

render(h(App, { router: createRouter() }), document.getElementById('console')!)
