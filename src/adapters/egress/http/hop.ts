import {
  type EgressFill,
  type EgressHeaders,
  type EgressHop,
  EgressRefused,
  type EgressRequest,
} from '../../../ports/network/egress.port.js';
import type { HttpMessage } from './exchange.js';
import { methodOf, type RequestTarget, requestTargetOf } from './request-rules.js';

export interface HopDraft {
  readonly method: string;
  readonly target: RequestTarget;
  readonly headers: EgressHeaders;
  readonly body?: Uint8Array | undefined;
  readonly moved: boolean;
  readonly location: string | undefined;
  /** Lower-case names of headers that contained secret values in an earlier request. */
  readonly filledHeaders: ReadonlySet<string>;
  readonly bodyFilled: boolean;
}

export interface FilledHop {
  /** Contains secret values, so it must never be stored. */
  readonly message: HttpMessage;
  readonly draft: HopDraft;
  readonly readable: boolean;
}

/** @throws EgressRefused */
export function firstDraft({ method, url, headers, body }: EgressRequest): HopDraft {
  const content = { method: methodOf(method), target: requestTargetOf(url), headers, body };
  return { ...content, moved: false, location: undefined, filledHeaders: new Set(), bodyFilled: false };
}

/** @throws EgressRefused, and errors of `fill` */
export async function fillHop(
  draft: HopDraft,
  fill: EgressFill | undefined,
  allowedByOperator: EgressHop['allowedByOperator'],
): Promise<FilledHop> {
  const { method, target, headers, body, location } = draft;
  if (fill === undefined) return { message: { method, url: target.url, headers, body }, draft, readable: false };
  const asked = { method, url: target.url.href, host: target.host, headers, body, location, allowedByOperator };
  const { readable = false, ...filled } = await fill(asked);
  const { url } = requestTargetOf(filled.url);
  if (url.origin !== target.url.origin)
    throw new EgressRefused(
      'fill',
      `The filled-in value leads to another host than '${target.host}'; do not use a secret in the host.`,
    );
  const isFilled = (name: string) => valuesOf(headers, name) !== valuesOf(filled.headers, name);
  const fillsBody = !isSame(body, filled.body);
  const stays = (name: string) => !draft.moved || !draft.filledHeaders.has(name.toLowerCase()) || isFilled(name);
  const bodyStays = !draft.moved || !draft.bodyFilled || fillsBody;
  const remaining = <T extends Content>(content: T): T => {
    const redirected = { ...content, headers: content.headers.filter(([name]) => stays(name)) };
    return bodyStays ? redirected : withoutBody(redirected);
  };
  const names = filled.headers.map(([name]) => name.toLowerCase()).filter(isFilled);
  const sent = readable ? filled.headers.filter(([name]) => !choosesForm.test(name)) : filled.headers;
  return {
    readable,
    message: remaining({ method, url, headers: sent, body: filled.body }),
    draft: {
      ...remaining(draft),
      filledHeaders: new Set([...draft.filledHeaders, ...names]),
      bodyFilled: draft.bodyFilled || fillsBody,
    },
  };
}

/** Headers with which a function could request a response that cannot be searched for secret values. */
const choosesForm = /^(accept-encoding|range|if-range)$/i;

interface Content {
  readonly headers: EgressHeaders;
  readonly body?: Uint8Array | undefined;
}

export function withoutBody<T extends Content>(content: T): T {
  return { ...content, headers: content.headers.filter(([name]) => !/^content-/i.test(name)), body: undefined };
}

function valuesOf(headers: EgressHeaders, name: string): string {
  const sought = name.toLowerCase();
  return JSON.stringify(headers.filter(([other]) => other.toLowerCase() === sought).map(([, value]) => value));
}

function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && Buffer.compare(a, b) === 0);
}
