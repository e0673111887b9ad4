export { auth } from './auth.js';
export { email, functions, payments, proxy, tables } from './calls.js';
export { Link, RequireEntitlement, RequireRole } from './components.js';
export { configure } from './connection.js';
export { useFunction, useParams, useUser } from './hooks.js';
export { navigate } from './navigation.js';
export { SiteError } from './site-error.js';
