/** Answers 202: nothing of what was asked has happened yet, because a person has to approve it first. */
export class PendingApproval {
  constructor(readonly body: object) {}
}
