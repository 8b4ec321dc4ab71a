import { schedulesAreSurvived } from '../storm/schedules.ts';

schedulesAreSurvived(3);
