import type { FastifyReply } from 'fastify';
import { type Html, html, marked } from './html.js';
import { assetPaths } from './page-assets.js';
import type { PageSession } from './page-sessions.js';

export interface PageFrame {
  /** The path of BASE_URL, or empty. */
  readonly root: string;
  readonly session?: PageSession;
  readonly workspace?: string;
}

export interface HtmlPage {
  readonly title: string;
  readonly content: Html;
  /** Path from which the page is loaded again after an event. If omitted, the page does not update itself. */
  readonly live?: string;
  readonly script?: false;
}

const headers = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

export function sendPage(reply: FastifyReply, status: number, frame: PageFrame, page: HtmlPage): void {
  reply.code(status).headers(headers).type('text/html; charset=utf-8').send(documentOf(frame, page).text);
}

/** Status 303, so that reloading the page does not send a form again. */
export function goTo(reply: FastifyReply, frame: PageFrame, path: string): void {
  reply.code(303).headers(headers).header('Location', `${frame.root}${path}`).send();
}

function documentOf(frame: PageFrame, { title, content, live, script }: HtmlPage): Html {
  const { root, session } = frame;
  const paths = assetPaths(root);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · Countersign</title>
<link rel="icon" href="${paths.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${paths.style}">
${script !== false && html`<script src="${paths.script}" defer></script>`}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="brand" href="${root}/approvals"><img src="${paths.icon}" alt="" width="28" height="28">Countersign</a>
${session && html`<nav class="navigation" aria-label="Pages"><a href="${root}/approvals">Approvals</a> <a href="${root}/audit">Audit</a></nav>`}
${session && signedIn(frame, session)}
</header>
<p id="news" class="news" role="status" aria-live="polite"></p>
<main id="main" tabindex="-1"${live !== undefined && html` data-live="${root}${live}" data-stream="${root}/api/v1/approvals/stream"`}>
${content}
</main>
</body>
</html>
`;
}

function signedIn({ root, workspace = '' }: PageFrame, session: PageSession): Html {
  return html`<div class="who">
<span><bdi>${marked(session.caller.name)}</bdi> <span class="where">in <bdi>${marked(workspace)}</bdi></span></span>
<form method="post" action="${root}/approvals/sign-out">${formToken(session)}<button class="plain">Sign out</button></form>
</div>`;
}

export const formToken = ({ formToken: token }: Pick<PageSession, 'formToken'>): Html =>
  html`<input type="hidden" name="token" value="${token}">`;

export const alert = (sentence: string | undefined): Html | undefined =>
  sentence === undefined ? undefined : html`<p class="alert" role="alert">${sentence}</p>`;
