import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PageReaders } from '../../areas/sites/page/page-readers.api.js';
import { ServedDeployments, type SiteManifest } from '../../areas/sites/publication/served-deployments.api.js';
import type { SiteAsset } from '../../ports/site-builder.port.js';
import { type Wanted, wantedOf } from './asset-request.js';
import type { Visited } from './page-answers.js';
import { sendPlainPage } from './plain-page.js';
import type { SiteVisit } from './site-door.js';
import { indexOf } from './site-index.js';

/** Browsers and caches between keep it: its name changes with its content. */
const kept = 'public, max-age=31536000, immutable';
/** Asked for again each time, and in no cache but the browser's own. */
const asked = 'private, no-cache';

/** Sends scripts and style sheets to those who may read a page that needs them. */
@Injectable()
export class AssetAnswers {
  constructor(
    private readonly readers: PageReaders,
    private readonly deployments: ServedDeployments,
  ) {}

  async send(
    { visit, manifest, base }: Visited,
    name: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const earlier =
      base === '' && visit.host.kind !== 'preview' ? () => this.deployments.earlier(visit.project) : async () => [];
    const found = await this.find(manifest, earlier, name);
    const access = found && (await this.accessTo(found.manifest, found.asset, visit));
    if (found === undefined || access === undefined) return sendPlainPage(reply, 'not-found');
    reply.headers(
      access === 'open'
        ? { 'Cache-Control': kept, Vary: 'Accept-Encoding' }
        : {
            'Cache-Control': asked,
            Vary: 'Cookie, Accept-Encoding',
            'Cross-Origin-Resource-Policy': 'same-origin',
          },
    );
    return this.sendBytes(visit, found.asset, wantedOf(found.asset, request.headers), reply);
  }

  private async find(
    live: SiteManifest,
    earlier: () => Promise<readonly SiteManifest[]>,
    name: string,
  ): Promise<{ readonly manifest: SiteManifest; readonly asset: SiteAsset } | undefined> {
    const asset = indexOf(live).assets.get(name);
    if (asset !== undefined) return { manifest: live, asset };
    for (const manifest of await earlier()) {
      const found = indexOf(manifest).assets.get(name);
      if (found !== undefined) return { manifest, asset: found };
    }
    return undefined;
  }

  /** `open`: everybody may have it now. Undefined: this visitor may not. */
  private async accessTo(
    manifest: SiteManifest,
    { pages }: SiteAsset,
    { project, reader }: SiteVisit,
  ): Promise<'open' | 'own' | undefined> {
    if (pages === 'all') return 'open';
    const byId = indexOf(manifest).pages;
    const needing = pages.flatMap((id) => byId.get(id) ?? []);
    const { now } = reader.visitor;
    const anybody = { visitor: { now, throughSite: true }, isOwner: false };
    if ((await this.readers.readable(project, anybody, needing)).size > 0) return 'open';
    if (reader.visitor.person === undefined && !reader.isOwner) return undefined;
    return (await this.readers.readable(project, reader, needing)).size > 0 ? 'own' : undefined;
  }

  private async sendBytes({ project }: SiteVisit, asset: SiteAsset, wanted: Wanted, reply: FastifyReply) {
    if (wanted.status === 416) {
      return reply
        .code(416)
        .headers({ 'Content-Range': `bytes */${wanted.size}` })
        .type('text/plain')
        .send('');
    }
    const { status, form, etag, size } = wanted;
    reply.code(status).headers({ ETag: etag, 'Accept-Ranges': 'bytes' });
    if (status === 304) return reply.send();
    reply.headers({ 'Content-Length': String(size) }).type(asset.type);
    if (form !== 'plain') reply.header('Content-Encoding', form === 'brotli' ? 'br' : form);
    const range = wanted.status === 206 ? wanted.range : undefined;
    if (range) reply.header('Content-Range', `bytes ${range.from}-${range.to}/${asset.size}`);
    const pieces = this.deployments.bytes(project, asset, form, range)[Symbol.asyncIterator]();
    const first = await pieces.next();
    const bytes = first.done ? new Uint8Array() : first.value;
    if (bytes.length === size) return reply.send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return reply.send(Readable.from(inTurn(bytes, pieces), { objectMode: false, highWaterMark: 64 * 1024 }));
  }
}

async function* inTurn(first: Uint8Array, others: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  for (let next = await others.next(); !next.done; next = await others.next()) yield next.value;
}
