import { traitsFor, verdictOn } from '../../engine/authorisation/authority.js';
import type { RegisteredOperation } from '../../engine/operation/operation.js';
import { fieldsOf } from '../../kernel/field/field.js';
import { statusOf } from '../../kernel/refusals/refusal-status.js';
import { type RefusalCode, refusals } from '../http.refusals.js';

/**
 * Every operation can return these refusals: they come from the HTTP layer, or mean that a part of the service is
 * unavailable.
 */
const ofEveryOperation: readonly RefusalCode[] = [
  'key-missing',
  'key-invalid',
  'wrong-keys-limited',
  'key-rate',
  'workspace-rate',
  'workspace-quota',
  'body-too-large',
  'media-type-not-supported',
  'content-encoding-not-supported',
  'bodies-taken',
  'service-starting',
  'service-stopping',
  'no-api-here',
  'newer-version-needed',
  'record-set-aside',
  'store-unavailable',
];

const ofEveryInput: readonly RefusalCode[] = ['invalid-json', 'invalid-body', 'invalid-input', 'dry-run-unclear'];

const ofEveryCommand: readonly RefusalCode[] = [
  'idempotency-key-invalid',
  'idempotency-key-reused',
  'idempotency-key-in-progress',
  'too-much-contention',
];

type StatusDescriptions = Readonly<Record<number, string>>;

export function refusalResponses(operation: RegisteredOperation): object {
  const { effect, within, takesAway, input, outside = [] } = operation;
  const rights = traitsFor(operation).map((traits) => verdictOn(operation, traits));
  const names = [...fieldsOf(input).keys()];
  const isOfSomething = names.some((name) => /^(?:id|key|code|name|position)$|(?:Id|Ref)$/.test(name));
  const codes: readonly RefusalCode[] = [
    ...ofEveryInput,
    ...(effect === 'command' ? ofEveryCommand : ['dry-run-not-supported' as const]),
    ...rights.filter((verdict) => verdict !== 'yes'),
    ...(typeof takesAway === 'function' ? ['key-never-deletes' as const] : []),
    ...(within === 'project' ? ['site-not-found' as const, 'ai-permission-missing' as const] : []),
  ];
  const own = refusedWith(codes, {
    400: 'the input, as described by the operation',
    ...(effect === 'command' ? { 403: 'an access rule', 409: 'the state of the resource' } : {}),
    ...(isOfSomething ? { 404: 'the resource does not exist or is not visible to the caller' } : {}),
    ...(outside.some((one) => !one.startsWith('destroys')) ? { 422: 'the called service or code failed' } : {}),
  });
  return { ...own, ...Object.fromEntries(shared.map(([status, name]) => [status, { $ref: `${place}${name}` }])) };
}

export function refusedWith(codes: readonly RefusalCode[], more: StatusDescriptions = {}): object {
  const byStatus = Map.groupBy(new Set(codes), (code) => statusOf[refusals[code].kind]);
  const statuses = [...new Set([...byStatus.keys(), ...Object.keys(more).map(Number)])];
  const responses = statuses.map((status) => [status, refused(status, byStatus.get(status) ?? [], more[status])]);
  return { ...Object.fromEntries(responses), 500: { $ref: `${place}Fault` }, default: { $ref: `${place}Refused` } };
}

function refused(status: number, codes: readonly RefusalCode[], more: string | undefined): object {
  const named = codes.map((code) => `\`${code}\``).join(', ');
  const description = [named, more].filter(Boolean).join('; or ');
  const headers = headersOf[status];
  return { description, ...(headers === undefined ? {} : { headers }), ...problemContent };
}

const place = '#/components/responses/';
const header = (name: string) => ({ $ref: `#/components/headers/${name}` });
const waits = { 'Retry-After': header('RetryAfter') };
const headersOf: Readonly<Record<number, object>> = {
  401: { 'WWW-Authenticate': header('Authenticate') },
  409: waits,
  429: waits,
  503: waits,
};

const problemContent = {
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

const shared: readonly (readonly [number, string])[] = [
  [401, 'Unauthenticated'],
  [413, 'TooLarge'],
  [415, 'MediaType'],
  [429, 'Limited'],
  [503, 'Unavailable'],
];

export const responses: Readonly<Record<string, object>> = {
  ...Object.fromEntries(
    shared.map(([status, name]) => {
      const codes = ofEveryOperation.filter((code) => statusOf[refusals[code].kind] === status);
      return [name, refused(status, codes, status === 429 ? 'a limit of what the operation creates' : undefined)];
    }),
  ),
  Fault: { description: '`internal`: an unexpected error in the service.', ...problemContent },
  Refused: { description: 'The call was refused.', ...problemContent },
};
