import type { ComponentType } from 'react';
import { createRoot, hydrateRoot, type Root } from 'react-dom/client';
import { signedIn } from './auth.js';
import { callsFromPage } from './connection.js';
import { framed } from './frame.js';
import { navigateBy } from './navigation.js';
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

async function show(url: URL, settle: () => void): Promise<void> {
  const found = pageAt(url);
  if (found === undefined) return location.assign(url);
  wanted = url.href;
  const Page = await loadPage(base, found.page).catch(() => undefined);
  if (wanted !== url.href) return;
  // The page may have become another's to read, or the site may have been published anew.
  if (Page === undefined) return location.assign(url);
  settle();
  document.title = found.page.title ?? document.title;
  render(Page.component, found);
  Page.leaveOtherStyles();
}

const isSamePage = (url: URL) => url.pathname === location.pathname && url.search === location.search;

navigateBy((url, { replace }) => {
  // Places within a page are the browser's to find.
  if (isSamePage(url) && url.hash !== '') {
    location.assign(url);
    return;
  }
  void show(url, () => {
    history[replace ? 'replaceState' : 'pushState'](null, '', url);
    scrollTo(0, 0);
  });
});

let path = location.pathname + location.search;
addEventListener('popstate', () => {
  const isWithin = path === location.pathname + location.search;
  path = location.pathname + location.search;
  if (!isWithin) void show(new URL(location.href), () => {});
});

// A page that is no longer this visitor's to read is left: the server says where to.
onVisitChange(() => {
  if (!currentVisit().pages.some(({ id }) => id === shown)) location.reload();
});

async function start(): Promise<void> {
  const page = data.pages.find(({ id }) => id === data.page);
  if (page === undefined) return;
  const { component } = await loadPage(base, page);
  render(component, { page, params: data.params, path: location.pathname.slice(base.length) || '/' });
  const user = await finishSocial();
  if (user !== undefined) await signedIn(user);
}

void start();
