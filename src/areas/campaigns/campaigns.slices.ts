import { job } from '../../engine/jobs/jobs.js';
import { endsWithOwners } from '../../engine/ownership/dependents.js';
import { type Slice, slice } from '../../engine/records/slice.js';
import { listsConditions } from '../access/judging/condition-holders.api.js';
import { AudiencePreview } from './audience/audience-preview.api.js';
import { AudienceUsers } from './audience/audience-users.js';
import { Audiences } from './audience/audiences.api.js';
import { PeopleJudge } from './audience/people-judge.js';
import { audienceConditions } from './campaign/audience-conditions.js';
import { campaignOperations } from './campaign/campaign.operations.js';
import { campaigns } from './campaign/campaign.record.js';
import { CampaignAnswers } from './campaign/campaign-answers.js';
import { AudienceListing } from './sending/audience-listing.js';
import { BatchForgetting } from './sending/batch-forgetting.api.js';
import { BatchMoves } from './sending/batch-moves.js';
import { BatchSender } from './sending/batch-sender.js';
import { campaignBatchProjection } from './sending/campaign-batch.projection.js';
import { campaignJob } from './sending/campaign-requests.api.js';
import { CampaignSending } from './sending/campaign-sending.js';
import { CampaignWords } from './sending/campaign-words.js';
import { RecipientList } from './sending/recipient-list.js';
import { Recipients } from './sending/recipients.js';
import { sendingOperations } from './sending/sending.operations.js';
import { TestCampaign } from './sending/test-campaign.js';
import { endSuppression } from './suppression/suppression.js';
import { suppressionOperations } from './suppression/suppression.operations.js';
import { suppressions } from './suppression/suppression.record.js';
import { Suppressions } from './suppression/suppressions.api.js';
import { Unsubscribing } from './suppression/unsubscribing.api.js';

export const campaignsSlices: readonly Slice[] = [
  slice(campaigns, [...campaignOperations, ...sendingOperations, CampaignAnswers, listsConditions(audienceConditions)]),
  Audiences,
  AudienceUsers,
  PeopleJudge,
  AudiencePreview,
  { projections: [campaignBatchProjection], providers: [] },
  AudienceListing,
  BatchMoves,
  BatchSender,
  BatchForgetting,
  CampaignWords,
  Recipients,
  RecipientList,
  TestCampaign,
  CampaignSending,
  job(campaignJob, CampaignSending),
  slice(suppressions, [
    ...suppressionOperations,
    Suppressions,
    Unsubscribing,
    endsWithOwners(suppressions, endSuppression),
  ]),
];
