import { isJsonObject, type JsonObject, withMember } from '../../../kernel/json/json.js';
import type { RunRequest } from './function-runs.api.js';

/**
 * The `params` that code sees. For a webhook's call they include `_request.body`, the raw text (Sites API, Code context
 * 4), or null when the bytes are not UTF-8. The text repeats `rawBody`, so it is added only here: a large body is then
 * sealed and queued just once.
 */
export function paramsForCode({ starter, params }: Pick<RunRequest, 'starter' | 'params'>): JsonObject {
  const request = params['_request'];
  if (starter.kind !== 'webhook' || !isJsonObject(request)) return params;
  const { rawBody = null, rawBodyEncoding } = request;
  return withMember(params, '_request', { body: rawBodyEncoding === 'utf8' ? rawBody : null, ...request });
}
