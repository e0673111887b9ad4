import type { configure as Configure, SessionStorage } from './site.js';
import { errorOf, SiteError } from './site-error.js';

const storedAs = 'countersign-session';

function memory(): SessionStorage {
  const items = new Map<string, string>();
  return {
    getItem: (name) => items.get(name) ?? null,
    setItem: (name, value) => void items.set(name, value),
    removeItem: (name) => void items.delete(name),
  };
}

/** Browsers that block storage for a site throw on access to it. */
function localStorageOrMemory(): SessionStorage {
  try {
    return globalThis.localStorage ?? memory();
  } catch {
    return memory();
  }
}

interface Connection {
  readonly api: string;
  /** Omitted on the site's own host, where a cookie holds the session. */
  readonly storage?: SessionStorage;
  pageId?: string;
}

let connection: Connection = { api: '/api' };

export const configure: typeof Configure = ({ api, storage = localStorageOrMemory() }) => {
  connection = { api: api.replace(/\/+$/, ''), storage };
};

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

/** The session is sent as a subprotocol and is never in the address. */
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
