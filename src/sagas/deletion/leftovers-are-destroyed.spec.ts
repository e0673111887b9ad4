import { beforeEach, describe, expect, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../../test/support/given/given-saga.js';
import type { SiteMailEnding } from '../../areas/app-users/auth-mail/site-mail-ending.api.js';
import type { PendingCalls } from '../../areas/approvals/pending-change/pending-calls.api.js';
import { FlowRunEnding } from '../../areas/flows/flow-run/flow-run-ending.api.js';
import type { FlowRuns } from '../../areas/flows/flow-run/flow-runs.js';
import type { DeliveredFiles } from '../../areas/functions/run/storage/delivered-files.api.js';
import type { RunInputs } from '../../areas/functions/run/storage/run-inputs.api.js';
import type { SiteRunRetention } from '../../areas/functions/run/storage/site-run-retention.api.js';
import type { FileBytes } from '../../areas/sites/file/file-bytes.api.js';
import type { InboundForgetting } from '../../areas/triggers/mailhook/inbound-forgetting.api.js';
import type { Journal } from '../../engine/journal/journal.js';
import type { PersonalData } from '../../engine/personal-data/personal-data.js';
import type { Reads } from '../../engine/scopes/reads.js';
import type { StepRuns } from '../../engine/step-work/step-runs.js';
import type { Vault } from '../../ports/vault.port.js';
import * as sagas from './leftovers-are-destroyed.saga.js';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});

describe('a deleted file', () => {
  it('destroys the bytes of its own upload, and no others', () =>
    givenSaga(sagas.bytesOfFiles(stage.noting<FileBytes>({ destroy: 'destroys' })), stage)
      .gets(of('siteFile', 'file_1', { type: 'SiteFileDeleted', data: { projectId: 'proj_1', bytesId: 'bytes_1' } }))
      .does(['destroys', { workspaceId: 'ws_spec', bytesId: 'bytes_1' }]));
});

describe('a deleted flow', () => {
  it('ends its runs in progress, and no others', () => {
    const run = (id: string, status: string, targetId = 'flow_1') => ({ id, workspaceId: 'ws_spec', targetId, status });
    stage.shows(
      'flowRuns',
      ...[run('r_1', 'queued'), run('r_2', 'running'), run('r_3', 'waiting')],
      ...[run('r_4', 'success'), run('r_5', 'error'), run('r_6', 'running', 'flow_2')],
    );
    const kind = { collection: 'flowRuns', flowOf: async () => undefined } as unknown as FlowRuns;
    const ending = new FlowRunEnding(stage.reads, kind, stage.noting<StepRuns>({ stop: 'stops' }));
    const said = 'The flow was deleted while this run was going.';
    return givenSaga(sagas.runsOfFlows(ending), stage)
      .gets(of('flow', 'flow_1', { type: 'FlowDeleted', data: {} }))
      .does(...['r_1', 'r_2', 'r_3'].map((id) => ['stops', kind, 'ws_spec', id, said]));
  });

  it('that was restored since ends only the runs that began before the deletion', async () => {
    const deleted = of('flow', 'flow_1', { type: 'FlowDeleted', data: {} }, { revision: 3 });
    const find = stage.noting<Reads>({ find: 'looks for' }, []);
    const kind = { collection: 'flowRuns', flowOf: async () => ({ id: 'flow_1' }) } as unknown as FlowRuns;
    const where = expect.objectContaining({ targetId: 'flow_1', position: { lt: deleted.position } });
    await givenSaga(sagas.runsOfFlows(new FlowRunEnding(find, kind, {} as StepRuns)), stage)
      .gets(deleted)
      .does(['looks for', 'ws_spec', 'flowRuns', { where }]);
  });
});

describe('a deleted mailhook', () => {
  it('loses its address, and then the mail that it had', () => {
    const forgetting = stage.noting<InboundForgetting>({ allUpTo: 'forgets all up to' });
    const deleted = of('mailhook', 'mh_1', { type: 'MailhookDeleted', data: { reason: 'asked' } });
    const { position, metadata } = deleted;
    const mails = { workspaceId: 'ws_spec', mailhookId: 'mh_1', position, at: metadata.at };
    return givenSaga(sagas.mailOfMailhooks(forgetting, stage.noting<Vault>({ destroy: 'destroys' })), stage)
      .gets(deleted)
      .does(['destroys', 'mailhook-address/ws_spec/mh_1'], ['forgets all up to', mails]);
  });
});

describe('a deleted project', () => {
  it('deletes the runs of its functions', () =>
    givenSaga(sagas.runsOfProjects(stage.noting<SiteRunRetention>({ forgetProject: 'forgets all of' })), stage)
      .gets(of('project', 'proj_1', { type: 'ProjectDeleted', data: {} }))
      .does(['forgets all of', 'ws_spec', 'proj_1']));
});

describe('a deleted user', () => {
  const meets = (last: object | undefined) => {
    const journal = { ...stage.noting<Journal>({ prune: 'prunes' }), last: async () => last } as unknown as Journal;
    const data = { projectId: 'proj_1', passwordId: null };
    return givenSaga(sagas.signInsOfUsers(journal), stage).gets(
      of('appUser', 'usr_1', { type: 'AppUserDeleted', data }),
    );
  };

  it("destroys the user's sign-ins", () => meets({ revision: 7 }).does(['prunes', 'siteSignIn-ws_spec.usr_1', 7]));

  it('who never signed in has none', () => meets(undefined).doesNothing());
});

describe('a removed member', () => {
  it('is forgotten: the key of their name and email is destroyed, and no other', () =>
    givenSaga(sagas.keysOfMembers(stage.noting<PersonalData>({ erase: 'erases' })), stage)
      .gets(of('member', 'mem_1', { type: 'MemberRemoved', data: {} }))
      .does(['erases', 'member-ws_spec.mem_1']));
});

describe('an erased row', () => {
  const saga = () => sagas.keysOfRows(stage.noting<PersonalData>({ erase: 'erases' }));
  const erased = (id: string) => of('row', id, { type: 'RowErased', data: { tableId: 'tbl_1' } });

  it('loses the key of its values, and no other row does', () =>
    givenSaga(saga(), stage).gets(erased('row_1')).does(['erases', 'row-ws_spec.row_1']));

  it('is processed together with others, and waits for none of them', () => {
    expect(saga().reactToAll).toBeDefined();
    const [one, other] = [erased('row_1'), { ...erased('row_1'), id: 'another' }];
    expect(saga().subjectOf?.(one)).not.toBe(saga().subjectOf?.(other));
  });
});

describe('mail of a site that is done', () => {
  it.each(['SiteMailSent', 'SiteMailForgotten'])('loses its content at %s', (type) =>
    givenSaga(sagas.wordsOfSiteMail(stage.noting<SiteMailEnding>({ destroyContent: 'destroys' })), stage)
      .gets(of('siteMail', 'sm_1', { type, data: {} }))
      .does(['destroys', 'ws_spec', 'sm_1']),
  );
});

describe('the input of a call that waited for a person', () => {
  it('is destroyed once its card is decided, replaced or expired', () => {
    const decided = (id: string, type: string) => of('pendingChange', id, { type, data: {} });
    return givenSaga(sagas.inputsOfCalls(stage.noting<PendingCalls>({ forget: 'destroys the input' })), stage)
      .gets(decided('change_1', 'PendingChangeApplied'), decided('change_2', 'PendingChangeRejected'))
      .does(
        ['destroys the input', { workspaceId: 'ws_spec', id: 'change_1' }],
        ['destroys the input', { workspaceId: 'ws_spec', id: 'change_2' }],
      );
  });
});

describe('an input that is no longer needed', () => {
  it('is destroyed, with its files if there are any', () => {
    const inputs = stage.noting<RunInputs>({ destroy: 'destroys the input' });
    const files = stage.noting<DeliveredFiles>({ destroy: 'destroys the files' });
    const dropped = (data: object) => of('run', 'fn_1', { type: 'RunInputDropped', data });
    return givenSaga(sagas.inputsOfRuns(inputs, files), stage)
      .gets(dropped({ runId: 'run_1' }), dropped({ runId: 'run_2', hasFiles: true }))
      .does(
        ['destroys the input', 'ws_spec', 'run_1'],
        ['destroys the input', 'ws_spec', 'run_2'],
        ['destroys the files', { workspaceId: 'ws_spec', runId: 'run_2' }],
      );
  });
});
