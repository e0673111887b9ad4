import { post } from './connection.js';
import type { Session, SiteUser } from './site.js';

const storedAs = 'countersign-verifier';

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** The way back makes a session only in this tab, which knows the verifier (RFC 7636). */
export async function beginSocial(api: string, provider: string): Promise<never> {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  sessionStorage.setItem(storedAs, verifier);
  const challenge = base64url(new Uint8Array(digest));
  location.assign(`${api}/auth/social/${encodeURIComponent(provider)}?challenge=${challenge}`);
  return new Promise<never>(() => {});
}

/** Of an address that a provider led back to; undefined: none did. */
export async function finishSocial(): Promise<{ user: SiteUser; session?: Session } | undefined> {
  const code = new URLSearchParams(location.hash.slice(1)).get('sign-in-code');
  if (code === null) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  const verifier = sessionStorage.getItem(storedAs);
  sessionStorage.removeItem(storedAs);
  return post('auth/social/exchange', { code, ...(verifier === null ? {} : { verifier }) });
}
