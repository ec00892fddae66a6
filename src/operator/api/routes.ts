import { openApiDocument, openApiRoute } from './openapi.ts'
import type { ApiRoute } from './route.ts'
import { accessLogRoutes } from './routes/access-log.ts'
import { awardRoutes } from './routes/awards.ts'
import { figureRoutes } from './routes/figures.ts'
import { keyRoutes } from './routes/keys.ts'
import { ledgerRoutes } from './routes/ledger.ts'
import { oidcRoutes } from './routes/oidc.ts'
import { operatorRoutes } from './routes/operators.ts'
import { partnerChangeRoutes } from './routes/partner-changes.ts'
import { partnerRoutes } from './routes/partners.ts'
import { recordRoutes } from './routes/records.ts'
import { refusalRoutes } from './routes/refusals.ts'
import { reportRoutes } from './routes/reports.ts'
import { sessionRoutes } from './routes/session.ts'
import { tenantRoutes } from './routes/tenants.ts'
import { tokenRoutes } from './routes/tokens.ts'
import { userRoutes } from './routes/users.ts'
import { verificationRoutes } from './routes/verification.ts'

const declared: ApiRoute[] = [
  ...figureRoutes,
  ...partnerRoutes,
  ...partnerChangeRoutes,
  ...keyRoutes,
  ...tenantRoutes,
  ...awardRoutes,
  ...refusalRoutes,
  ...userRoutes,
  ...reportRoutes,
  ...recordRoutes,
  ...accessLogRoutes(() => routes),
  ...ledgerRoutes,
  ...verificationRoutes,
  ...sessionRoutes,
  ...oidcRoutes,
  ...operatorRoutes,
  ...tokenRoutes,
]

/** Every operation of the API. */
export const routes: readonly ApiRoute[] = [...declared, openApiRoute(declared)]

/** What `GET /openapi.json` sends. */
export const operatorApiDocument = openApiDocument(routes)
