import { Injectable } from '@nestjs/common';
import type { AnyStepKind } from './step-kind.js';

@Injectable()
export class StepKinds {
  private readonly kinds = new Map<string, AnyStepKind>();

  register(kind: AnyStepKind): void {
    this.kinds.set(kind.category, kind);
  }

  get all(): readonly AnyStepKind[] {
    return [...this.kinds.values()];
  }
}
