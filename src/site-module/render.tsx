/** @jsxRuntime automatic */
import * as react from 'react';
import * as jsxRuntime from 'react/jsx-runtime';
import * as reactDom from 'react-dom';
import { renderToString } from 'react-dom/server';
import { framed } from './frame.js';
import * as site from './index.js';
import type { Place } from './route.js';

/**
 * Globals of the isolate. `siteModules` are the modules that pages may import, `sitePage` is set to the page inside its
 * layout, and `renderPage` renders that page.
 */
const isolate = globalThis as {
  siteModules?: Readonly<Record<string, unknown>>;
  sitePage?: react.ComponentType;
  renderPage?: (place: Place) => string;
};

isolate.siteModules = {
  react,
  'react/jsx-runtime': jsxRuntime,
  'react-dom': reactDom,
  '@countersign/site': site,
};

isolate.renderPage = (place) => {
  if (isolate.sitePage === undefined) throw new Error('There is no page to render');
  return renderToString(framed(isolate.sitePage, place));
};
