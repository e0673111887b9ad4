import type { configure as Configure, SessionStorage } from './site.js';
import { errorOf, SiteError } from './site-error.js';

const storedAs = 'countersign-session';

function memory(): SessionStorage {
  const held = new Map<string, string>();
  return {
    getItem: (name) => held.get(name) ?? null,
    setItem: (name, value) => void held.set(name, value),
    removeItem: (name) => void held.delete(name),
  };
}

/** Browsers that keep nothing for a site refuse the access itself. */
function localStorageOrMemory(): SessionStorage {
  try {
    return globalThis.localStorage ?? memory();
  } catch {
    return memory();
  }
}

interface Connection {
  /** What paths of the visitor API follow, without a slash at the end. */
  readonly api: string;
  /** Left out on the site's own host, where a cookie is the session. */
  readonly storage?: SessionStorage;
  /** The page that calls are made from, for functions that name pages in their rules. */
  pageId?: string;
}

/** A site's own pages call their own host. */
let connection: Connection = { api: '/api' };

export const configure: typeof Configure = ({ api, storage = localStorageOrMemory() }) => {
  connection = { api: api.replace(/\/+$/, ''), storage };
};

/** Where social sign-in begins, and whether this is the site's own host. */
export const ownApi = (): string | undefined => (connection.storage === undefined ? connection.api : undefined);

export function callsFromPage(id: string): void {
  connection.pageId = id;
}

const nameOf = ({ api }: Connection) => `${storedAs}:${api}`;

export function keepSession(token: string | undefined): void {
  const { storage } = connection;
  if (token === undefined) storage?.removeItem(nameOf(connection));
  else storage?.setItem(nameOf(connection), token);
}

/** Where the site's socket is opened. The session goes beside the address and never in it. */
export function socketAddress(): { readonly url: string; readonly protocols: string[] } {
  const { api, storage } = connection;
  const url = new URL(`${api}/realtime`, globalThis.location?.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  const session = storage?.getItem(nameOf(connection));
  return { url: url.href, protocols: ['countersign', ...(session ? [`session.${session}`] : [])] };
}

/** @throws SiteError */
export const get = <Answer>(path: string): Promise<Answer> => ask(path, { method: 'GET' });

/** @throws SiteError */
export const post = <Answer>(path: string, body: object = {}): Promise<Answer> =>
  ask(path, { method: 'POST', body: JSON.stringify(body) });

async function ask<Answer>(path: string, init: { method: string; body?: string }): Promise<Answer> {
  const { api, storage, pageId } = connection;
  const session = storage?.getItem(nameOf(connection));
  const headers = {
    ...(init.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(session ? { 'X-Site-Session': session } : {}),
    ...(pageId === undefined ? {} : { 'X-Page-Id': pageId }),
  };
  const response = await fetch(`${api}/${path}`, {
    ...init,
    headers,
    credentials: storage === undefined ? 'same-origin' : 'omit',
  }).catch(() => undefined);
  if (response === undefined) throw new SiteError(0, 'unreachable', 'The site could not be reached. Try again.');
  if (!response.ok) throw await errorOf(response);
  return (await response.json()) as Answer;
}
