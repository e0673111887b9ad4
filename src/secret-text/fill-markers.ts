import type { GrantedSecrets } from './granted-secret.js';
import { type MarkedPart, type MarkedRequest, partsOf, type RequestSlot, replaceMarkers } from './marked-request.js';
import { type Marker, markerText, type ReadMarker, sealTexts } from './marker.js';
import { destinationOf, whyNotToHost } from './secret-destination.js';

export interface FillScope {
  /** At least 24 letters and digits from a random source, new for each attempt of a run. */
  readonly seal: string;
  readonly secrets: GrantedSecrets;
  readonly whose?: string;
}

export interface FilledRequest {
  readonly ok: true;
  readonly request: MarkedRequest;
  readonly filled: readonly string[];
}

/** The markers were not filled, so the request must not be sent. Never contains a secret's value. */
export interface FillRefusal {
  readonly ok: false;
  readonly problem:
    | 'address'
    | 'host'
    | 'host-header'
    | 'in-text'
    | 'malformed'
    | 'no-value'
    | 'not-granted'
    | 'other-run'
    | 'place'
    | 'unfit-value';
  readonly sentence: string;
  readonly secret?: string;
  readonly host?: string;
}

/** Characters that a header value must not contain. A line break, for example, would begin another header. */
const unfitForHeader = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * Fills either all markers or none. After a redirect, must be called again with the marked request and the new address.
 * Refuses a request in which a marker was converted to text. Port and connection are not checked here, but by the
 * sender when the request leaves.
 */
export function fillMarkers(
  request: MarkedRequest,
  { seal, secrets, whose = 'function' }: FillScope,
): FilledRequest | FillRefusal {
  const parts = partsOf(request, seal);
  const sealForms = sealTexts(seal);
  const markers: { readonly read: ReadMarker; readonly place: RequestSlot }[] = [];
  for (const part of parts) {
    if ('read' in part) markers.push(part);
    else if (sealForms.some((text) => part.text.includes(text))) return refuseInText(part);
  }
  if (markers.length === 0) return { ok: true, request, filled: [] };
  const host = destinationOf(request.url)?.host;
  if (host === undefined)
    return refuse('address', 'A secret can be sent only to an http or https address, and this is not one.');
  if (Object.keys(request.headers ?? {}).some((name) => name.toLowerCase() === 'host'))
    return refuse('host-header', 'A request with a secret goes to the host of its address; leave out the header Host.');

  const filled = new Set<string>();
  for (const { read, place } of markers) {
    if (read.is !== 'marker') return refuseUnread(read.is);
    const refusal = judge(read.marker, place, host, secrets, whose);
    if (refusal) return refusal;
    filled.add(read.marker.secret);
  }
  const fill = (marker: Marker) => {
    const value = secrets.get(marker.secret)?.value;
    return value === undefined ? undefined : markerText(marker, value);
  };
  return { ok: true, request: replaceMarkers(request, seal, fill), filled: [...filled] };
}

function judge(
  marker: Marker,
  place: RequestSlot,
  host: string,
  secrets: GrantedSecrets,
  whose: string,
): FillRefusal | undefined {
  const { secret: name } = marker;
  const about = { secret: name, host };
  if (place.in === 'elsewhere')
    return refuse('place', `The secret ${name} cannot be used in ${place.what}: ${WHERE}`, about);
  const secret = secrets.get(name);
  if (!secret) return refuse('not-granted', `The secret ${name} is not on this ${whose}'s list of secrets.`, about);
  const wrongHost = whyNotToHost(host, secret, whose);
  if (wrongHost) return refuse('host', `The secret ${name} was not sent to ${host}: ${wrongHost}.`, about);
  if (secret.value === undefined) return refuse('no-value', `The secret ${name} has been deleted.`, about);
  if (place.in === 'header' && unfitForHeader.test(markerText(marker, secret.value)))
    return refuse(
      'unfit-value',
      `The secret ${name} cannot be used in the header ${place.name.slice(0, 100)}: ` +
        'with the text around it, it has a line break or another character that a header cannot contain.',
      about,
    );
  return undefined;
}

const WHERE =
  'it must be the whole value of a header or of a query member, or a field inside a body given as an object.';

function refuseInText({ place }: MarkedPart): FillRefusal {
  const where = { header: 'a header', query: 'the query', body: 'the body' };
  const what = place.in === 'elsewhere' ? place.what : where[place.in];
  return refuse(
    'in-text',
    `A secret's marker was made part of a text in ${what}, where it is not replaced: pass the marker itself, ` +
      "as in { headers: { Authorization: ctx.secrets.ref('NAME', { prefix: 'Bearer ' }) } }.",
  );
}

function refuseUnread(is: 'other run' | 'malformed'): FillRefusal {
  switch (is) {
    case 'other run':
      return refuse('other-run', "A secret's marker is valid for one run only; create a new one with ctx.secrets.ref.");
    case 'malformed':
      return refuse(
        'malformed',
        "A secret's marker is ctx.secrets.ref('NAME'), with { prefix?, suffix? } as texts " +
          'or { basic: { user } } or { basic: { password } } and nothing else.',
      );
  }
}

function refuse(
  problem: FillRefusal['problem'],
  sentence: string,
  about: Pick<FillRefusal, 'secret' | 'host'> = {},
): FillRefusal {
  return { ok: false, problem, sentence, ...about };
}
