import { post } from './connection.js';
import type { Session, SiteUser } from './site.js';

/** What this tab keeps while it is at the provider. The platform's login page keeps the same. */
const storedAs = 'countersign-social';

interface Begun {
  /** Random text whose digest the server got (RFC 7636): the way back makes a session only in this tab. */
  readonly verifier: string;
  /** The page to go to afterwards. */
  readonly next: string | null;
}

export interface FinishedSocial {
  readonly answer: { readonly user: SiteUser; readonly session?: Session };
  readonly next: string | null;
}

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

export async function beginSocial(api: string, provider: string): Promise<never> {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const begun: Begun = { verifier, next: new URLSearchParams(location.search).get('next') };
  sessionStorage.setItem(storedAs, JSON.stringify(begun));
  const challenge = base64url(new Uint8Array(digest));
  location.assign(`${api}/auth/social/${encodeURIComponent(provider)}?challenge=${challenge}`);
  return new Promise<never>(() => {});
}

/** At an address that a provider led back to; undefined: none did. @throws SiteError */
export async function finishSocial(): Promise<FinishedSocial | undefined> {
  const code = new URLSearchParams(location.hash.slice(1)).get('sign-in-code');
  if (code === null) return undefined;
  // A code is good once: a reload must not send it again.
  history.replaceState(history.state, '', location.pathname + location.search);
  const { verifier, next } = JSON.parse(sessionStorage.getItem(storedAs) ?? '{}') as Partial<Begun>;
  sessionStorage.removeItem(storedAs);
  const answer = await post<FinishedSocial['answer']>('auth/social/exchange', { code, ...(verifier && { verifier }) });
  return { answer, next: next ?? null };
}
