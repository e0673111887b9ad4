import type { ComponentType } from 'react';
import { createRoot, hydrateRoot, type Root } from 'react-dom/client';
import { signedIn } from './auth.js';
import { countVisit } from './beacon.js';
import { callsFromPage } from './connection.js';
import { framed } from './frame.js';
import { navigate, navigateBy } from './navigation.js';
import { loadPage } from './page-loading.js';
import { type Found, findPage } from './route.js';
import type { ReadablePage, SiteData } from './site-data.js';
import { finishSocial } from './social.js';
import { beginVisit, currentVisit, onVisitChange } from './visit.js';

/** What the browser starts a page with, and goes from page to page with. Bundled so that it shares modules with `index`. */
const data = JSON.parse(document.getElementById('site-data')?.textContent ?? '') as SiteData;
const { base } = data;
const element = document.getElementById('root') as HTMLElement;
beginVisit(data);

/** Undefined: below the site's base, nothing that this visitor may read. The server then decides what to answer. */
function pageAt({ pathname }: URL): Found<ReadablePage> | undefined {
  if (pathname !== base && !pathname.startsWith(`${base}/`)) return undefined;
  return findPage(currentVisit().pages, pathname.slice(base.length) || '/');
}

let root: Root | undefined;
let shown = data.page;
/** The last address that was asked for: what was asked for before is out of date. */
let wanted = '';

function render(Page: ComponentType, found: Pick<Found<ReadablePage>, 'page' | 'path' | 'params'>): void {
  shown = found.page.id;
  callsFromPage(shown);
  const view = framed(Page, found);
  if (root !== undefined) root.render(view);
  else if (data.isRendered) root = hydrateRoot(element, view);
  else {
    root = createRoot(element);
    root.render(view);
  }
}

const addressOf = ({ pathname, search }: URL | Location) => pathname + search;
/** Of the page that shows or is about to: the browser's own goings within a page change it not. */
let address = addressOf(location);

/** `settle` makes the address that of the page; `leave` loads a document there. */
async function show(url: URL, { settle, leave }: { settle?: () => void; leave: () => void }): Promise<void> {
  wanted = url.href;
  const found = pageAt(url);
  if (found === undefined) return leave();
  const loaded = await loadPage(base, found.page).catch(() => undefined);
  if (wanted !== url.href) return;
  // The page may have become another's to read, or the site may have been published anew.
  if (loaded === undefined) return leave();
  settle?.();
  address = addressOf(url);
  document.title = found.page.title ?? siteName() ?? document.title;
  render(loaded.component, found);
  loaded.leaveOtherStyles();
  countVisit(data, '');
}

const siteName = () => document.querySelector<HTMLMetaElement>('meta[property="og:site_name"]')?.content;

navigateBy((url, { replace }) => {
  const leave = () => (replace ? location.replace(url) : location.assign(url));
  // Places within a page are the browser's to find.
  if (addressOf(url) === address && url.hash !== '') return leave();
  const settle = () => {
    history[replace ? 'replaceState' : 'pushState'](null, '', url);
    scrollTo(0, 0);
    // Readers of screens go on at the new page.
    element.focus({ preventScroll: true });
  };
  void show(url, { settle, leave });
});

addEventListener('popstate', () => {
  if (addressOf(location) === address) return;
  void show(new URL(location.href), { leave: () => location.reload() });
});

// A page that is no longer this visitor's to read is left: the server says where to. Code that has just signed the visitor
// out goes first, where it leads to another page.
onVisitChange(() => {
  const before = wanted;
  setTimeout(() => {
    const isReadable = currentVisit().pages.some(({ id }) => id === shown);
    if (!isReadable && wanted === before) location.reload();
  });
});

/** Whatever an address asks for, a sign-in leads to no other site. */
const isOfSite = (path: string) => path.startsWith('/') && new URL(path, location.href).origin === location.origin;

async function afterProvider(): Promise<void> {
  const social = await finishSocial();
  if (social === undefined) return;
  await signedIn(social.answer);
  if (social.next !== null && isOfSite(social.next)) navigate(social.next);
}

async function start(): Promise<void> {
  const page = data.pages.find(({ id }) => id === data.page);
  if (page === undefined) throw new Error('The page is not among those that this visitor may read.');
  element.tabIndex = -1;
  element.style.outline = 'none';
  const { component } = await loadPage(base, page);
  render(component, { page, params: data.params, path: location.pathname.slice(base.length) || '/' });
  countVisit(data, document.referrer);
  await afterProvider().catch(() => navigate(`${data.login}#sign-in-error=invalid`));
}

start().catch((error: unknown) => {
  reportError(error);
  if (!data.isRendered) element.textContent = 'This page could not be loaded. Reload it.';
});
