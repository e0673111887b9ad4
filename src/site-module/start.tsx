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

/**
 * This script starts a page in the browser, and navigates between pages. It is bundled so that it shares modules with
 * `index`.
 */
const data = JSON.parse(document.getElementById('site-data')?.textContent ?? '') as SiteData;
const { base } = data;
const element = document.getElementById('root') as HTMLElement;
beginVisit(data);

/**
 * Returns the page at an address, or undefined if the site has no page there that this visitor may read. In the latter
 * case, the server must decide on the response.
 */
function pageAt({ pathname }: URL): Found<ReadablePage> | undefined {
  if (pathname !== base && !pathname.startsWith(`${base}/`)) return undefined;
  return findPage(currentVisit().pages, pathname.slice(base.length) || '/');
}

let root: Root | undefined;
let shown = data.page;
/** Address of the latest navigation. Earlier navigations that are still loading their page are dropped. */
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
/**
 * Path and query of the page that is shown or about to be shown. Navigation within the page, by the hash, does not change
 * it.
 */
let address = addressOf(location);

/**
 * Shows the page at an address without loading a document. `settle` puts the address into the address bar; `leave` loads
 * a document from the address instead.
 */
async function show(url: URL, { settle, leave }: { settle?: () => void; leave: () => void }): Promise<void> {
  wanted = url.href;
  const found = pageAt(url);
  if (found === undefined) return leave();
  const loaded = await loadPage(base, found.page).catch(() => undefined);
  if (wanted !== url.href) return;
  // If loading failed, this visitor may no longer be allowed to read the page, or the site was published again.
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
  // If only the hash differs, the browser itself scrolls to the place within the page.
  if (addressOf(url) === address && url.hash !== '') return leave();
  const settle = () => {
    history[replace ? 'replaceState' : 'pushState'](null, '', url);
    scrollTo(0, 0);
    // Moves the focus to the new page, so that screen readers continue there.
    element.focus({ preventScroll: true });
  };
  void show(url, { settle, leave });
});

addEventListener('popstate', () => {
  if (addressOf(location) === address) return;
  void show(new URL(location.href), { leave: () => location.reload() });
});

// If this visitor may no longer read the page, it is reloaded, and the server decides where to redirect. The check waits
// for a turn of the event loop, so that code that has just signed the visitor out can navigate to another page first.
onVisitChange(() => {
  const before = wanted;
  setTimeout(() => {
    const isReadable = currentVisit().pages.some(({ id }) => id === shown);
    if (!isReadable && wanted === before) location.reload();
  });
});

/** Whether the path is on this site. After a sign-in, the browser must not be sent to another site. */
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
