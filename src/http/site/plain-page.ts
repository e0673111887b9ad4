import type { FastifyReply } from 'fastify';
import { escapedHtml } from '../../kernel/text/escaped-html.js';

/** The pages name neither the site nor the service. */
const pages = {
  'bad-request': {
    status: 400,
    title: 'Bad request',
    text: 'The request cannot be read, or does not name exactly one host.',
  },
  'not-found': { status: 404, title: 'Not found', text: 'There is no such page here.' },
  forbidden: { status: 403, title: 'Not allowed', text: 'You are signed in, but you may not view this page.' },
  'code-used': {
    status: 403,
    title: 'Sign in again',
    text: 'This link was already used, has expired, or was made for another browser. Open the preview or the app again.',
  },
  'method-not-allowed': { status: 405, title: 'Not supported', text: 'This page can only be viewed.' },
  conflict: {
    status: 409,
    title: 'Currently not possible',
    text: 'This page cannot be shown in the current state of the site.',
  },
  'too-many': {
    status: 429,
    title: 'Too many requests',
    text: 'This site received more requests than allowed; try again in a moment.',
  },
  unavailable: {
    status: 503,
    title: 'Currently unavailable',
    text: 'This page cannot be shown at present; try again in a moment.',
  },
  failed: { status: 500, title: 'Something went wrong', text: 'This page could not be shown; try again later.' },
} as const;

export type PlainPage = keyof typeof pages;

export function plainPageOf(status: number): PlainPage {
  if (status === 403) return 'forbidden';
  const found = (Object.keys(pages) as PlainPage[]).find((page) => pages[page].status === status);
  return found ?? (status < 500 ? 'bad-request' : 'failed');
}

const headers = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Cache-Control': 'no-store',
};

export function sendPlainPage(
  reply: FastifyReply,
  page: PlainPage,
  more: Record<string, string> = {},
  message?: string,
): FastifyReply {
  const { status, title, text } = pages[page];
  const styles = 'body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:15vh auto;padding:0 1.5rem}';
  const document = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapedHtml(title)}</title>
<style>${styles}</style>
</head>
<body>
<h1>${escapedHtml(title)}</h1>
<p>${escapedHtml(message ?? text)}</p>
</body>
</html>
`;
  return reply
    .code(status)
    .headers({ ...headers, ...more })
    .type('text/html; charset=utf-8')
    .send(document);
}
