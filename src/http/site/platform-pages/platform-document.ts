import { hash } from 'node:crypto';
import { Html, html, marked } from '../../pages/html.js';
import { pageStyle } from '../../pages/page-style.js';
import type { PlatformView } from './platform-page.js';

/** Content-Security-Policy source for an inline script or style. The document must contain exactly this text. */
const allowed = (text: string) => `'sha256-${hash('sha256', text, 'base64')}'`;
const styleAllowed = allowed(pageStyle);

/**
 * These headers ensure that URLs with tokens are not sent as referrers or cached, and that other sites cannot show the
 * page in a frame.
 */
export const headersOf = ({ script }: Pick<PlatformView, 'script'>) => ({
  'Content-Security-Policy': `default-src 'none'; style-src ${styleAllowed}; ${
    script === undefined ? '' : `script-src ${allowed(script)}; connect-src 'self'; `
  }form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
});

/** @param home address to which the site's name links; if undefined, the name is not a link */
export const platformDocument = (
  siteName: string,
  home: string | undefined,
  { title, content, script }: PlatformView,
): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · ${siteName}</title>
<style>${new Html(pageStyle)}</style>
</head>
<body>
<header class="top">
${home === undefined ? html`<span class="brand"><bdi>${marked(siteName)}</bdi></span>` : html`<a class="brand" href="${home}"><bdi>${marked(siteName)}</bdi></a>`}
</header>
<main id="main">
<div class="narrow">
${script !== undefined && html`<p id="news" role="status" aria-live="polite"></p>`}
${content}
</div>
</main>
${script !== undefined && html`<script>${new Html(script)}</script>`}
</body>
</html>
`.text;
