import { EgressRefused } from '../../../ports/network/egress.port.js';
import { type HopDraft, withoutBody } from './hop.js';
import { requestTargetOf } from './request-rules.js';

const redirects = [301, 302, 303, 307, 308];
const seeOther = [301, 302, 303];
/** Headers that are sent only to the origin for which they were given. */
const credentials = ['authorization', 'cookie'];

export function asksToGoOn(status: number, location: string | undefined): location is string {
  return location !== undefined && redirects.includes(status);
}

/**
 * Resolves `location` against the draft's URL, which contains no secret values, unlike the URL that was sent.
 * @throws EgressRefused
 */
export function redirected(draft: HopDraft, status: number, location: string): HopDraft {
  const { url: from, host } = draft.target;
  const to = URL.parse(location, from.href);
  if (to === null || !['http:', 'https:'].includes(to.protocol))
    throw new EgressRefused(
      'redirect',
      `The host '${host}' redirects to an invalid web address; request another page.`,
    );
  if (from.protocol === 'https:' && to.protocol === 'http:')
    throw new EgressRefused(
      'redirect',
      `The host '${host}' redirects from https to http; request an address with https.`,
    );
  const moved = to.origin !== from.origin;
  const headers = draft.headers.filter(([name]) => !moved || !credentials.includes(name.toLowerCase()));
  const next = { ...draft, target: requestTargetOf(to.href), location, moved, headers };
  if (!seeOther.includes(status)) return next;
  return withoutBody({ ...next, method: draft.method === 'HEAD' ? 'HEAD' : 'GET' });
}
