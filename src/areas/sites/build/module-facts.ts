import { Injectable } from '@nestjs/common';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import { BoundedCache } from '../../../kernel/bounded-cache.js';
import { isTextRef, referTo, type Text } from '../../../kernel/text/text.js';
import { SourceCheck, SourceCheckGivenUp, type SourceFacts } from '../../../ports/offloaded/source-check.port.js';

/** Undefined if the parser could not process the module, for example because it is too large. */
export type ModuleFacts = SourceFacts | undefined;

interface RequestedModule {
  readonly digest: string;
  readonly content: Text;
}

/**
 * Modules are parsed in pieces of about this many characters. Requests of other callers wait until a thread has
 * finished its piece.
 */
const pieceLength = 200_000;
/**
 * Maximum number of pieces in work at the same time: two threads parse one piece each while the texts of a third are
 * loaded.
 */
const mostAtOnce = 3;
/** Number of characters from which a second thread is used. Starting a thread takes half a second. */
const enoughForOne = 8_000_000;
const cacheSize = 200_000;

/**
 * Parses modules to find facts such as their imports. Facts depend only on the content, so they are cached by its
 * digest.
 */
@Injectable()
export class ModuleFactsReader {
  private readonly cache = new BoundedCache(cacheSize, weightOf);

  constructor(
    private readonly texts: RecordTexts,
    private readonly sources: SourceCheck,
  ) {}

  async of(workspaceId: string, contents: readonly Text[]): Promise<readonly ModuleFacts[]> {
    const modules = contents.map((content) => ({ digest: digestOf(content), content }));
    const found = new Map<string, ModuleFacts>();
    const unread = new Map<string, RequestedModule>();
    for (const one of modules) {
      const cached = this.cache.get(one.digest);
      if (cached === undefined) unread.set(one.digest, one);
      found.set(one.digest, cached);
    }
    const all = piecesOf([...unread.values()]);
    const atOnce = Math.min(mostAtOnce, 1 + Math.floor((all.length * pieceLength) / enoughForOne));
    const pieces = all.values();
    const worker = async () => {
      for (const piece of pieces) {
        for (const [digest, facts] of await this.read(workspaceId, piece)) found.set(digest, facts);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    return modules.map(({ digest }) => found.get(digest));
  }

  private async read(
    workspaceId: string,
    piece: readonly RequestedModule[],
  ): Promise<readonly (readonly [string, ModuleFacts])[]> {
    const read = await this.texts.read(
      workspaceId,
      piece.map(({ content }) => content),
    );
    const facts = await this.parsed(
      workspaceId,
      piece.map(({ content }) => read(content)),
    );
    return piece.map(({ digest }, index) => {
      const one = facts[index];
      if (one !== undefined) this.cache.set(digest, one);
      return [digest, one];
    });
  }

  /**
   * If the parser fails on several modules, each half of them is parsed on its own. In the end, only modules that
   * cannot be parsed lack facts.
   */
  private async parsed(workspaceId: string, sources: readonly string[]): Promise<readonly ModuleFacts[]> {
    try {
      return await this.sources.read({ workspaceId, sources });
    } catch (error) {
      if (!(error instanceof SourceCheckGivenUp)) throw error;
      if (sources.length === 1) return [undefined];
      const half = Math.ceil(sources.length / 2);
      return [
        ...(await this.parsed(workspaceId, sources.slice(0, half))),
        ...(await this.parsed(workspaceId, sources.slice(half))),
      ];
    }
  }
}

const digestOf = (content: Text) => (isTextRef(content) ? content.digest : referTo(content).digest);
function weightOf({ imports, undefinedJsx, exports }: SourceFacts): number {
  const named = imports.reduce((sum, { names }) => sum + 1 + names.length, 0);
  return 1 + named + undefinedJsx.length + exports.names.length;
}

function piecesOf(modules: readonly RequestedModule[]): readonly (readonly RequestedModule[])[] {
  const pieces: RequestedModule[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const one of modules) {
    length += one.content.length;
    if (length > pieceLength) {
      pieces.push([]);
      length = one.content.length;
    }
    pieces.at(-1)?.push(one);
  }
  return pieces;
}
