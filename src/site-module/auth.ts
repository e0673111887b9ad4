import { get, keepSession, ownApi, post } from './connection.js';
import type { Auth, Session, SiteUser } from './site.js';
import type { SitePages } from './site-data.js';
import { SiteError } from './site-error.js';
import { beginSocial } from './social.js';
import { currentSite, sawPages, sawUser } from './visit.js';

export const auth: Auth = {
  signup: async (body) => signedIn(await post('auth/signup', body)),
  login: async (body) => signedIn(await post('auth/login', body)),
  logout: async () => {
    const done = await post<{ success: true }>('auth/logout');
    keepSession(undefined);
    await changed(null);
    return done;
  },
  verifyEmail: async (body) => {
    const done = await post<{ success: true }>('auth/verify-email', body);
    await changed();
    return done;
  },
  forgotPassword: (body) => post('auth/forgot-password', body),
  resetPassword: (body) => post('auth/reset-password', body),
  updateProfile: async (body) => {
    const user = await post<SiteUser>('auth/profile', body);
    await changed(user);
    return user;
  },
  me: async () => {
    const who = await get<{ user: SiteUser | null }>('auth/me');
    sawUser(who.user);
    return who;
  },
  social: (provider) => {
    const api = ownApi();
    if (api === undefined) {
      throw new SiteError(
        0,
        'own-host-only',
        "Social sign-in works only on the site's own host; link to its login page.",
      );
    }
    return beginSocial(api, provider);
  },
};

/** Changes nothing if the user must first verify the email address, because there is no session yet. */
export async function signedIn<Answer extends { user: SiteUser; session?: Session; verificationRequired?: boolean }>(
  answer: Answer,
): Promise<Answer> {
  if (answer.verificationRequired !== true) {
    keepSession(answer.session?.token);
    await changed(answer.user);
  }
  return answer;
}

/**
 * On a page of a site, also reloads the list of readable pages, because another visitor may read other pages. If the
 * list cannot be loaded, the known pages remain.
 */
async function changed(user?: SiteUser | null): Promise<void> {
  const site = currentSite();
  if (site === undefined) return user === undefined ? undefined : sawUser(user);
  const response = await fetch(`${site.base}/_site/pages`, { credentials: 'same-origin' }).catch(() => undefined);
  if (response?.ok) return sawPages((await response.json()) as SitePages);
  if (user !== undefined) sawUser(user);
}
