import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Sandbox } from '../../../ports/sandbox.port.js';
import type { BuiltPage, SiteBuild } from '../../../ports/site-builder.port.js';

/** HTML of a page, or why its author gets none. `key`: what it was made of; the same makes the same. */
export type Rendered = { readonly key: string } & ({ readonly html: string } | { readonly unrendered: string });

export interface Rendering {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly build: SiteBuild;
  /** What earlier deployments had rendered, by key. */
  readonly known: ReadonlyMap<string, string>;
  /** From 0 to 1, as pages are done. */
  readonly done: (part: number) => void;
}

const timeoutMs = 2_000;
const atOnce = 4;
/** It counts the lines of the rendered script, which its author never sees. */
const lineOfScript = / \(line \d+\)$/;

/**
 * Renders open pages to HTML in the sandbox that runs functions, without `ctx`: no code of a customer runs elsewhere. A page
 * that fails there, or takes more than two seconds, is left to the browser.
 */
@Injectable()
export class PageRendering {
  constructor(private readonly sandbox: Sandbox) {}

  /** By the id of the page. */
  async of(rendering: Rendering): Promise<ReadonlyMap<string, Rendered>> {
    const { build, done } = rendering;
    const open = build.pages.filter((page) => 'server' in page);
    const rendererKey = hash('sha256', build.renderer, 'hex');
    const rendered = new Map<string, Rendered>();
    const left = open.values();
    const worker = async () => {
      for (const page of left) {
        rendered.set(page.id, await this.one(rendering, page, rendererKey));
        done(rendered.size / open.length);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    return rendered;
  }

  private async one(
    { workspaceId, projectId, build, known }: Rendering,
    { path, server = '' }: BuiltPage,
    rendererKey: string,
  ): Promise<Rendered> {
    const key = hash('sha256', `${rendererKey} ${path}\n${server}`, 'hex');
    const html = known.get(key);
    if (html !== undefined) return { key, html };
    const outcome = await this.sandbox.run({
      isolateKey: `${workspaceId}/${projectId}/${key}`,
      program: {
        source: `(async function (params) {\n${build.renderer}\n${server}\nreturn await renderPage(params);\n})`,
      },
      params: { path, params: {} },
      context: {},
      capabilities: [],
      timeoutMs,
      captureLogs: false,
    });
    if (!outcome.ok) return { key, unrendered: outcome.error.replace(lineOfScript, '') };
    if (typeof outcome.result === 'string') return { key, html: outcome.result };
    return { key, unrendered: 'Its rendering gave no HTML.' };
  }
}
