import { isJsonObject, type JsonObject, withMember } from '../../../kernel/json.js';
import type { RunRequest } from '../../../ports/function-runs.port.js';

/**
 * What the code sees as `params`. A webhook's call gets `_request.body`, the raw text (Sites API, Code context 4), or
 * null where the bytes are not UTF-8. It is added here, because it repeats `rawBody`: what is sealed and queued holds a
 * large body once.
 */
export function paramsForCode({ starter, params }: Pick<RunRequest, 'starter' | 'params'>): JsonObject {
  const request = params['_request'];
  if (starter.kind !== 'webhook' || !isJsonObject(request)) return params;
  const { rawBody = null, rawBodyEncoding } = request;
  return withMember(params, '_request', { body: rawBodyEncoding === 'utf8' ? rawBody : null, ...request });
}
