import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { pathnameOf } from '../../areas/sites/page/open-paths.api.js';
import { PageReaders } from '../../areas/sites/page/page-readers.api.js';
import { SiteOrigins } from '../../areas/sites/project/addresses/site-origins.api.js';
import type { PublishedPage, SiteManifest } from '../../areas/sites/publication/served-deployments.api.js';
import { Environment } from '../../config/environment.js';
import type { SitePages } from '../../site-module/site-data.js';
import { noTrackers, trackersOf } from './analytics.js';
import { pageHeaders } from './content-policy.js';
import { isOwnPath, locationOf, withNext } from './own-path.js';
import type { Routed } from './page-routes.js';
import { sendPlainPage } from './plain-page.js';
import { stepPaths } from './platform-pages/sign-in-steps.js';
import { ReadablePages } from './readable-pages.js';
import { listed, ReadyAnswers } from './ready-answers.js';
import { shellOf } from './shell.js';
import type { SiteVisit } from './site-door.js';
import { siteIndexOf } from './site-index.js';

const notFoundPath = '/404';

export interface Visited {
  readonly visit: SiteVisit;
  readonly manifest: SiteManifest;
  readonly base: string;
  readonly path: string;
}

interface MadeShell {
  readonly document: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly nonce: string;
}

@Injectable()
export class PageAnswers {
  constructor(
    private readonly readers: PageReaders,
    private readonly readable: ReadablePages,
    private readonly origins: SiteOrigins,
    private readonly environment: Environment,
    private readonly ready: ReadyAnswers,
  ) {}

  async send(visited: Visited, reply: FastifyReply): Promise<FastifyReply> {
    const { visit, manifest, path } = visited;
    const routed = siteIndexOf(manifest).routes.find(path);
    if (routed === undefined || routed.page.path === notFoundPath) return this.notFound(visited, reply);
    const seen = await this.readable.of(visit, manifest);
    if (seen.pages.some(({ id }) => id === routed.page.id)) return this.shell(visited, routed, seen, reply, 200);
    const isThere = await this.readers.isThere(visit.project, routed.page);
    return isThere ? this.refuse(visited, routed.page, reply) : this.notFound(visited, reply);
  }

  private async notFound(visited: Visited, reply: FastifyReply): Promise<FastifyReply> {
    const { visit, manifest, base } = visited;
    if (isAfterStep(visited)) return lead(reply, `${base}/`);
    const page = manifest.pages.find(({ path }) => path === notFoundPath);
    if (page === undefined) return sendPlainPage(reply, 'not-found');
    const seen = await this.readable.of(visit, manifest);
    const isThere = seen.pages.some(({ id }) => id === page.id);
    return isThere ? this.shell(visited, { page, params: {} }, seen, reply, 404) : sendPlainPage(reply, 'not-found');
  }

  /**
   * A visitor who is not signed in is redirected to the path that the page declares for this case, or else to the
   * sign-in page. A signed-in visitor is redirected to the site's own page for denied access, or else gets a plain
   * error page.
   */
  private refuse({ visit, manifest, base, path }: Visited, page: PublishedPage, reply: FastifyReply): FastifyReply {
    const { project, user, query } = visit;
    const { accessDenied } = project.authPaths;
    if (user !== undefined) {
      const denied = accessDenied && pathnameOf(accessDenied);
      const isPage = denied && denied !== path && siteIndexOf(manifest).routes.find(denied) !== undefined;
      if (!isPage) return sendPlainPage(reply, 'forbidden');
      return lead(reply, `${base}${accessDenied}`);
    }
    const { redirectIfUnauth } = page;
    if (redirectIfUnauth !== null && isOwnPath(redirectIfUnauth)) return lead(reply, `${base}${redirectIfUnauth}`);
    return lead(reply, withNext(`${base}${loginOf(visit)}`, `${base}${path}${query}`));
  }

  private async shell(
    visited: Visited,
    { page, params }: Routed,
    seen: SitePages,
    reply: FastifyReply,
    status: 200 | 404,
  ) {
    const { visit, manifest, base } = visited;
    const nonce = randomUUID();
    const data = {
      ...seen,
      projectId: visit.project.id,
      base,
      page: page.id,
      params,
      isRendered: page.html !== undefined,
      // Only views of the published site's pages count. Previews, apps, releases and the page for status 404 do not.
      countsVisits: visit.host.kind === 'site' && base === '' && status === 200,
      login: loginOf(visit),
    };
    const canonical = status === 200 ? await this.canonicalOf(visited) : null;
    const trackers = visit.host.kind === 'site' ? trackersOf(manifest.site, this.environment.analytics) : noTrackers;
    const document = shellOf({ page, manifest, data, nonce, canonical, trackers });
    const headers = { ...pageHeaders(nonce, trackers), 'Content-Type': 'text/html; charset=utf-8' };
    // Pages of signed-in users are not cached, because they contain data about the user that may change with time, even
    // if nothing is written.
    if (status === 200 && visit.user === undefined)
      await this.cachePage(visited, seen, { document, headers, nonce }, reply);
    return reply.code(status).headers(headers).send(document);
  }

  /**
   * The page contains the list of pages that its visitor may read, so a visitor with a different list does not get the
   * cached response. Each response from the cache gets a new nonce.
   */
  private async cachePage(
    { visit, manifest }: Visited,
    { pages }: SitePages,
    shell: MadeShell,
    { request }: FastifyReply,
  ) {
    const { document, headers, nonce } = shell;
    const access = await this.readers.accessTo(visit.project, manifest.pages);
    const readable = new Set(pages.map(({ id }) => id));
    const parts = document.split(nonce);
    const list = listed({ ...headers, 'Content-Length': String(Buffer.byteLength(document)) });
    const policies = list.map((text) => text.split(nonce));
    this.ready.remember(request.raw, visit, {
      what: 'page',
      weight: 2 * document.length + 2_000,
      send: (reader) => {
        if (manifest.pages.some((page) => access.mayRead(page, reader) !== readable.has(page.id))) return undefined;
        const another = randomUUID();
        return { headers: policies.map((texts) => texts.join(another)), body: parts.join(another) };
      },
    });
  }

  /** Previews, apps and releases have no canonical URL, because search engines must find only the published site. */
  private async canonicalOf({
    visit: {
      host: { kind },
      project,
    },
    base,
    path,
  }: Visited): Promise<string | null> {
    if (kind !== 'site' || base !== '') return null;
    return new URL(path, await this.origins.originOf(project)).href;
  }
}

function isAfterStep({ visit: { project }, path }: Visited): boolean {
  const { authPaths, authEnabled } = project;
  const steps = [authPaths['afterLogin'], authPaths['afterLogout']];
  return authEnabled && path !== '/' && steps.some((step) => step !== undefined && pathnameOf(step) === path);
}

export const loginOf = ({ project }: SiteVisit): string => project.authPaths['login'] ?? stepPaths.login;

/** Not cached, because the redirect depends on the visitor. */
export const lead = (reply: FastifyReply, location: string): FastifyReply =>
  reply
    .code(303)
    .headers({ 'Cache-Control': 'no-store', Vary: 'Cookie', Location: locationOf(location) })
    .send();
