import { post } from './connection.js';
import type { Session, SiteUser } from './site.js';

/**
 * Key in the tab's session storage. The data under this key is needed when the visitor returns from the provider. The
 * platform's login page uses the same key.
 */
const storedAs = 'countersign-social';

interface Begun {
  /**
   * Random text whose digest the tab sent to the server (RFC 7636), so that only this tab can exchange the code for a
   * session.
   */
  readonly verifier: string;
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

/** @throws SiteError */
export async function finishSocial(): Promise<FinishedSocial | undefined> {
  const code = new URLSearchParams(location.hash.slice(1)).get('sign-in-code');
  if (code === null) return undefined;
  // A code can be used only once, so a reload must not send it again.
  history.replaceState(history.state, '', location.pathname + location.search);
  const { verifier, next } = JSON.parse(sessionStorage.getItem(storedAs) ?? '{}') as Partial<Begun>;
  sessionStorage.removeItem(storedAs);
  const answer = await post<FinishedSocial['answer']>('auth/social/exchange', { code, ...(verifier && { verifier }) });
  return { answer, next: next ?? null };
}
