// The element for any page, as a page without React has it.
import { defineVitrineRun } from '../../src/react/react.ts';

defineVitrineRun();
