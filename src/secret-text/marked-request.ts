import type { Json, JsonObject } from '../kernel/json/json.js';
import { isObject, type Marker, type ReadMarker, readMarker } from './marker.js';

/**
 * A request as guest code made it. A marker may be the whole value of a header, the whole value of a query member or of
 * an item in its list, or anywhere inside a body that is an object or a list. The body is serialised, as JSON or as a
 * form, only after the markers are filled. Other members are options for the sender.
 */
export interface MarkedRequest {
  readonly url: string;
  readonly headers?: JsonObject;
  readonly query?: JsonObject;
  readonly body?: Json;
  readonly [member: string]: Json | undefined;
}

export type RequestSlot =
  | { readonly in: 'header'; readonly name: string }
  | { readonly in: 'query' | 'body' }
  | { readonly in: 'elsewhere'; readonly what: string };

export type MarkedPart =
  | { readonly text: string; readonly place: RequestSlot }
  | { readonly read: ReadMarker; readonly place: RequestSlot };

export function partsOf(request: MarkedRequest, seal: string): readonly MarkedPart[] {
  const parts: MarkedPart[] = [];
  for (const [member, value] of Object.entries(request)) {
    if (value === undefined) continue;
    switch (member) {
      case 'headers':
        collectMembers(value, seal, 'the headers', (name) => ({ in: 'header', name }), parts);
        break;
      case 'query':
        collectMembers(value, seal, 'the query', () => ({ in: 'query' }), parts);
        break;
      case 'body':
        collect(value, seal, readMarker(value, seal) ? elsewhere('the whole body') : { in: 'body' }, parts);
        break;
      default:
        collect(value, seal, elsewhere(`the ${member.slice(0, 100)}`), parts);
    }
  }
  return parts;
}

/** A marker remains if `fill` returns undefined. The URL is unchanged. */
export function replaceMarkers(
  request: MarkedRequest,
  seal: string,
  fill: (marker: Marker) => string | undefined,
): MarkedRequest {
  const replaced = (value: Json): Json => {
    const read = readMarker(value, seal);
    if (read) return read.is === 'marker' ? (fill(read.marker) ?? value) : value;
    if (Array.isArray(value)) return value.map(replaced);
    return isObject(value) ? mapMembers(value, replaced) : value;
  };
  return { ...mapMembers(request, replaced), url: request.url };
}

function collectMembers(
  value: Json,
  seal: string,
  what: string,
  placeOf: (name: string) => RequestSlot,
  parts: MarkedPart[],
): void {
  if (!isObject(value) || readMarker(value, seal)) {
    collect(value, seal, elsewhere(what), parts);
    return;
  }
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    parts.push({ text: name, place: elsewhere(`a name in ${what}`) });
    const place = placeOf(name);
    const inList = place.in === 'query' && Array.isArray(inner);
    for (const one of inList ? (inner as readonly Json[]) : [inner])
      if (readMarker(one, seal)) collect(one, seal, place, parts);
      else collect(one, seal, typeof one === 'object' ? elsewhere(`a part of a value in ${what}`) : place, parts);
  }
}

/** Appends to one shared list, because walking a large body blocks the thread and must be fast. */
function collect(value: Json, seal: string, place: RequestSlot, parts: MarkedPart[]): void {
  if (typeof value === 'string') parts.push({ text: value, place });
  else if (Array.isArray(value)) for (const one of value) collect(one, seal, place, parts);
  else if (isObject(value)) {
    const read = readMarker(value, seal);
    if (read) parts.push({ read, place });
    else
      for (const [name, inner] of Object.entries(value)) {
        parts.push({ text: name, place });
        if (inner !== undefined) collect(inner, seal, place, parts);
      }
  }
}

function mapMembers(value: JsonObject, change: (value: Json) => Json): JsonObject {
  // `fromEntries` makes a member called __proto__ an ordinary member.
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, inner === undefined ? undefined : change(inner)]),
  );
}

function elsewhere(what: string): RequestSlot {
  return { in: 'elsewhere', what };
}
