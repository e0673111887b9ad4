import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Sandbox, type SandboxOutcome } from '../../../ports/offloaded/sandbox.port.js';
import type { BuiltPage, SiteBuild } from '../../../ports/offloaded/site-builder.port.js';

/** Pages with equal keys have equal HTML. `unrendered` is a message to the page's author. */
export type Rendered = { readonly key: string } & ({ readonly html: string } | { readonly unrendered: string });

export interface Rendering {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly build: SiteBuild;
  /** Pages whose `Rendered.key` is in this map are not rendered again. */
  readonly known: ReadonlyMap<string, string>;
  readonly done: (part: number) => void;
}

const timeoutMs = 2_000;
const atOnce = 4;
/**
 * After this many pages have exceeded their time or memory, the remaining pages are not rendered, because 500 such
 * pages would delay the publish by minutes.
 */
const mostStopped = 20;
/** Removed from error messages, because the line numbers refer to the generated script, which the author never sees. */
const lineOfScript = / \(line \d+\)$/;

/**
 * Renders pages to HTML. Customers' code runs in the sandbox for functions, without `ctx`. A page that cannot be
 * rendered here, for example because it takes more than two seconds, is rendered by browsers.
 */
@Injectable()
export class PageRendering {
  constructor(private readonly sandbox: Sandbox) {}

  async of(rendering: Rendering): Promise<ReadonlyMap<string, Rendered>> {
    const { build, done } = rendering;
    const open = build.pages.filter((page) => 'server' in page);
    const rendererKey = hash('sha256', build.renderer, 'hex');
    const rendered = new Map<string, Rendered>();
    let stopped = 0;
    const left = open.values();
    const worker = async () => {
      for (const page of left) {
        const one = await this.one(rendering, page, rendererKey, stopped >= mostStopped);
        if (one.isStopped) stopped += 1;
        rendered.set(page.id, one.rendered);
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
    isGivenUp: boolean,
  ): Promise<{ readonly rendered: Rendered; readonly isStopped?: boolean }> {
    const key = hash('sha256', `${rendererKey} ${path}\n${server}`, 'hex');
    const html = known.get(key);
    if (html !== undefined) return { rendered: { key, html } };
    if (isGivenUp)
      return {
        rendered: { key, unrendered: `Rendering was not attempted, because ${mostStopped} other pages took too long.` },
      };
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
    if (outcome.ok && typeof outcome.result === 'string') return { rendered: { key, html: outcome.result } };
    const unrendered = outcome.ok ? 'Rendering produced no HTML.' : whyNot(outcome);
    const isStopped = !outcome.ok && (outcome.reason === 'timeout' || outcome.reason === 'memory');
    return { rendered: { key, unrendered }, isStopped };
  }
}

/** The sandbox's own messages refer to functions, so they are not shown to authors of pages. */
function whyNot({ reason, error }: Extract<SandboxOutcome, { readonly ok: false }>): string {
  switch (reason) {
    case 'timeout':
      return `Rendering takes longer than ${timeoutMs / 1_000} seconds.`;
    case 'memory':
      return 'Rendering needs more memory than is allowed.';
    case 'result':
      return 'The HTML is larger than 1 MB.';
    case 'lost':
      return 'The rendering process ended before it was finished.';
    case 'threw':
      return error.replace(lineOfScript, '');
  }
}
