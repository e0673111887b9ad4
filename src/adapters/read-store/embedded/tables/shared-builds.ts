import { type Build, CheckpointMoved, type Shared } from '../../../../ports/read-store.port.js';
import type { Statements } from '../statements.js';

/**
 * An area is a group of projections whose builds share a checkpoint. After each change, callers must make every
 * connection read the layout again.
 */
export class SharedBuilds {
  constructor(private readonly statements: Statements) {}

  buildsOf(area: string): Shared | undefined {
    const current = 'SELECT generation, checkpoint FROM builds WHERE projection = ? AND active = 1';
    const row = this.statements.prepared(current).get(area);
    if (row === undefined) return undefined;
    const generation = String(row.generation);
    const all = 'SELECT projection, generation FROM members WHERE area = ? AND shared_generation = ?';
    const members = this.statements.prepared(all).all(area, generation);
    return {
      generation,
      checkpoint: Number(row.checkpoint),
      members: new Map(members.map((member) => [String(member.projection), String(member.generation)])),
    };
  }

  checkpointOf({ projection, generation }: Build): number | undefined {
    const either = `SELECT COALESCE(
      (SELECT shared.checkpoint FROM members JOIN builds AS shared
        ON shared.projection = members.area AND shared.generation = members.shared_generation
        WHERE members.projection = ?1 AND members.generation = ?2),
      (SELECT checkpoint FROM builds WHERE projection = ?1 AND generation = ?2)) AS checkpoint`;
    const found = this.statements.prepared(either).get(projection, generation)?.checkpoint ?? undefined;
    return found === undefined ? undefined : Number(found);
  }

  /**
   * Makes `members` share the checkpoint of `next`, the area's new build. Must be called inside a write transaction.
   * @throws CheckpointMoved if `former` is not the area's current generation or is not at `at`
   */
  share(next: Build, former: string | undefined, at: number, members: readonly Build[]): void {
    const current = this.buildsOf(next.projection);
    if (current?.generation !== former || (current !== undefined && current.checkpoint !== at)) {
      const found = current === undefined ? 'no build' : `build ${current.generation} at ${current.checkpoint}`;
      throw new CheckpointMoved(
        `The area ${next.projection} has ${found}, not ${former === undefined ? 'no build' : `build ${former} at ${at}`}.`,
      );
    }
    this.statements.prepared('DELETE FROM builds WHERE projection = ?').run(next.projection);
    this.statements
      .prepared('INSERT INTO builds (projection, generation, checkpoint, active) VALUES (?, ?, ?, 1)')
      .run(next.projection, next.generation, at);
    this.statements.prepared('DELETE FROM members WHERE area = ?').run(next.projection);
    const join = this.statements.prepared('INSERT OR REPLACE INTO members VALUES (?, ?, ?, ?)');
    for (const { projection, generation } of members) {
      join.run(projection, generation, next.projection, next.generation);
    }
  }

  /**
   * Gives the build a checkpoint of its own, at the position of the shared one. Must be called inside a write
   * transaction.
   */
  leave({ projection, generation }: Build): void {
    const member = 'SELECT 1 FROM members WHERE projection = ? AND generation = ?';
    if (this.statements.prepared(member).get(projection, generation) === undefined) return;
    const own = 'UPDATE builds SET checkpoint = ? WHERE projection = ? AND generation = ?';
    this.statements.prepared(own).run(this.checkpointOf({ projection, generation }) ?? -1, projection, generation);
    this.statements.prepared('DELETE FROM members WHERE projection = ? AND generation = ?').run(projection, generation);
  }
}
