import type { Slice } from '../../engine/records/slice.js';
import { ServerProxy } from './server-proxy/server-proxy.api.js';
import { serverProxyOperations } from './server-proxy/server-proxy.operations.js';

export const proxySlices: readonly Slice[] = [...serverProxyOperations, ServerProxy];
