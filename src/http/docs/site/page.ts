// What every page of the docs has. Without it, the pages can still be read.
import './base-url.ts'
import './code-blocks.ts'
import './contents.ts'
import './tabs.ts'
