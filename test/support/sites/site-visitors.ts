import type { Reply, TestApp } from '../app.js';
import { done } from '../people.js';

/** A site with sign-in, and requests of its visitors. */
export interface SiteVisitors {
  readonly projectId: string;
  /** Sends JSON to a path below the site's API. */
  post(path: string, body?: unknown, pass?: string, headers?: Record<string, string>): Promise<Reply>;
  get(path: string, pass?: string, headers?: Record<string, string>): Promise<Reply>;
  /** Creates a user with a verified email, as the site's owner. */
  user(email: string, more?: object): Promise<{ readonly id: string }>;
  /** Signs in, and returns the session's token. */
  logIn(email: string, password?: string, headers?: Record<string, string>): Promise<string>;
  me(pass?: string): Promise<{ readonly id: string; readonly [field: string]: unknown } | null>;
}

export const visitorPassword = 'correct horse';

export async function siteVisitors(app: TestApp, auth: object = {}): Promise<SiteVisitors> {
  const { id: projectId } = await done(app, 'site/createProject', { name: 'Visited' });
  await done(app, 'site/updateProjectAuth', { id: projectId, authEnabled: true, ...auth });
  return visitorsOf(app, projectId);
}

/** Returns the visitors of an existing site. */
export function visitorsOf(app: Pick<TestApp, 'send' | 'call' | 'ownerKey'>, projectId: string): SiteVisitors {
  const withPass = (pass?: string) => (pass === undefined ? {} : { 'x-site-session': pass });
  const post: SiteVisitors['post'] = (path, body = {}, pass = undefined, headers = {}) =>
    app.send('POST', `/api/app/${projectId}/${path}`, JSON.stringify(body), {
      'content-type': 'application/json',
      ...withPass(pass),
      ...headers,
    });
  const get: SiteVisitors['get'] = (path, pass, headers = {}) =>
    app.send('GET', `/api/app/${projectId}/${path}`, undefined, { ...withPass(pass), ...headers });
  return {
    projectId,
    post,
    get,
    user: async (email, more = {}) => {
      const { status, body } = await app.call('site/createAppUser', {
        projectId,
        email,
        password: visitorPassword,
        ...more,
      });
      if (status !== 200) throw new Error(`createAppUser: ${status} ${body.code} ${body.detail}`);
      return body;
    },
    logIn: async (email, password = visitorPassword, headers = {}) => {
      const { status, body } = await post('auth/login', { email, password }, undefined, headers);
      if (status !== 200) throw new Error(`auth/login: ${status} ${body.code} ${body.detail}`);
      return body.session.token;
    },
    me: async (pass) => (await get('auth/me', pass)).body.user,
  };
}
