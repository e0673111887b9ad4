export class EvaluatedParts {
  private allMembers = false;
  private readonly members = new Set<string>();
  private itemsBefore = 0;
  private readonly items = new Set<number>();

  hasMember(name: string): boolean {
    return this.allMembers || this.members.has(name);
  }

  hasItem(index: number): boolean {
    return index < this.itemsBefore || this.items.has(index);
  }

  member(name: string): void {
    this.members.add(name);
  }

  everyMember(): void {
    this.allMembers = true;
  }

  item(index: number): void {
    this.items.add(index);
  }

  itemsUpTo(count: number): void {
    this.itemsBefore = Math.max(this.itemsBefore, count);
  }

  takeOver(other: EvaluatedParts, step: () => void): void {
    this.allMembers ||= other.allMembers;
    this.itemsUpTo(other.itemsBefore);
    for (const name of other.members) {
      step();
      this.members.add(name);
    }
    for (const index of other.items) {
      step();
      this.items.add(index);
    }
  }
}
