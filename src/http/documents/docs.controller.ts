import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Environment } from '../../config/environment.js';
import { refuse } from '../http.refusals.js';
import { visitorApi } from '../open-api/visitor-api.js';
import { openApi } from '../open-api.js';
import { authorityPage } from './authority-page.js';

const assets: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const page = (script: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Countersign API</title>
<link rel="stylesheet" href="/api/docs/swagger-ui.css">
</head>
<body>
<nav><a href="/api/docs">For the workspace</a> · <a href="/api/docs/visitors">For visitors of sites</a> · <a href="/api/docs/authority.md">Who may call what</a></nav>
<main id="docs"></main>
<script src="/api/docs/swagger-ui-bundle.js"></script>
<script src="/api/docs/${script}"></script>
</body>
</html>
`;

const startOf = (url: string) =>
  `SwaggerUIBundle({ url: '${url}', dom_id: '#docs', docExpansion: 'none', filter: true });\n`;

const starts: Readonly<Record<string, string>> = {
  'start.js': startOf('/api/openapi.json'),
  'start-visitors.js': startOf('/api/openapi-visitors.json'),
};

@Controller('api')
export class DocsController {
  private readonly folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  /**
   * Generated at the first request and then cached. Generating a document at start would block the process for a third
   * of a second.
   */
  private readonly documents = new Map<Documents, string>();

  constructor(private readonly environment: Environment) {}

  @Get('openapi.json')
  document(@Res() reply: FastifyReply): void {
    this.sendDocument(openApi, reply);
  }

  @Get('openapi-visitors.json')
  visitorDocument(@Res() reply: FastifyReply): void {
    this.sendDocument(visitorApi, reply);
  }

  @Get('docs')
  page(@Res() reply: FastifyReply): void {
    sendPage(reply, 'start.js');
  }

  @Get('docs/visitors')
  visitorPage(@Res() reply: FastifyReply): void {
    sendPage(reply, 'start-visitors.js');
  }

  @Get('docs/:asset')
  asset(@Param('asset') asset: string, @Res() reply: FastifyReply): void {
    const start = Object.hasOwn(starts, asset) ? starts[asset] : undefined;
    if (start !== undefined) {
      reply.type('text/javascript; charset=utf-8').send(start);
      return;
    }
    if (asset === 'authority.md') {
      reply.type('text/plain; charset=utf-8').send(authorityPage());
      return;
    }
    const type = Object.hasOwn(assets, asset) ? assets[asset] : undefined;
    if (type === undefined) refuse('unknown-path', { path: '/api/docs' });
    reply
      .type(type ?? '')
      .header('Cache-Control', 'max-age=3600')
      .send(readFileSync(join(this.folder, asset)));
  }

  private sendDocument(make: Documents, reply: FastifyReply): void {
    const text = this.documents.get(make) ?? JSON.stringify(make(this.environment.baseUrl));
    this.documents.set(make, text);
    reply.type('application/json; charset=utf-8').send(text);
  }
}

type Documents = (baseUrl: string) => object;

function sendPage(reply: FastifyReply, script: string): void {
  reply.header('Content-Security-Policy', policy).type('text/html; charset=utf-8').send(page(script));
}
