import type { FinderTables } from '../../ports/offloaded/large-texts.port.js';

/**
 * Finds any of many byte sequences in one pass (Aho-Corasick). The time of a search depends only on the length of the
 * searched text, so customers cannot make a search slow by their choice of values. Nodes are in flat arrays, about 20
 * bytes per byte of value.
 */
export class ValueFinder {
  private readonly byteOf: Uint8Array;
  private readonly firstChild: Int32Array;
  private readonly nextSibling: Int32Array;
  private readonly fallback: Int32Array;
  private readonly longest: Int32Array;
  private readonly rootChild: Int32Array;
  private nodes = 1;

  constructor(readonly tables: FinderTables) {
    this.byteOf = tables.byteOf;
    this.firstChild = tables.firstChild;
    this.nextSibling = tables.nextSibling;
    this.fallback = tables.fallback;
    this.longest = tables.longest;
    this.rootChild = tables.rootChild;
  }

  static of(values: readonly Uint8Array[]): ValueFinder {
    const size = values.reduce((sum, value) => sum + value.length, 1);
    const integers = (length: number) => new Int32Array(new SharedArrayBuffer(4 * length));
    const finder = new ValueFinder({
      byteOf: new Uint8Array(new SharedArrayBuffer(size)),
      firstChild: integers(size),
      nextSibling: integers(size),
      fallback: integers(size),
      longest: integers(size),
      rootChild: integers(256),
    });
    for (const value of values) finder.add(value);
    finder.linkFallbacks();
    return finder;
  }

  next(from: number, byte: number): number {
    for (let node = from; node !== 0; node = this.fallback[node] as number) {
      const next = this.child(node, byte);
      if (next !== 0) return next;
    }
    return this.rootChild[byte] as number;
  }

  lengthAt(node: number): number {
    return this.longest[node] as number;
  }

  /** The root is never a child, so 0 means that there is none. */
  private child(node: number, byte: number): number {
    if (node === 0) return this.rootChild[byte] as number;
    let next = this.firstChild[node] as number;
    while (next !== 0 && this.byteOf[next] !== byte) next = this.nextSibling[next] as number;
    return next;
  }

  private add(value: Uint8Array): void {
    let node = 0;
    for (const byte of value) {
      const next = this.child(node, byte);
      node = next === 0 ? this.grow(node, byte) : next;
    }
    this.longest[node] = value.length;
  }

  private grow(parent: number, byte: number): number {
    const node = this.nodes;
    this.nodes += 1;
    this.byteOf[node] = byte;
    if (parent === 0) this.rootChild[byte] = node;
    this.nextSibling[node] = this.firstChild[parent] as number;
    this.firstChild[parent] = node;
    return node;
  }

  /** Goes through the nodes level by level, because each fallback is nearer to the root than the node that uses it. */
  private linkFallbacks(): void {
    const queue = new Int32Array(this.nodes);
    let length = 1;
    for (let at = 0; at < length; at += 1) {
      const parent = queue[at] as number;
      for (let node = this.firstChild[parent] as number; node !== 0; node = this.nextSibling[node] as number) {
        queue[length] = node;
        length += 1;
        const fallback = parent === 0 ? 0 : this.next(this.fallback[parent] as number, this.byteOf[node] as number);
        this.fallback[node] = fallback;
        if (this.longest[node] === 0) this.longest[node] = this.longest[fallback] as number;
      }
    }
  }
}
