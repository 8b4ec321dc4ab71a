import { z } from 'zod';
import { functionTool, RunError, type Tool } from '../../src/index.ts';
import { chartSvg } from './chart-svg.ts';

const Chart = z.strictObject({
  title: z.string().min(1).max(200).describe('What stands above the chart.'),
  kind: z.enum(['bar', 'line']).default('bar'),
  labels: z.array(z.string().max(80)).min(1).max(200).describe('One for each value.'),
  values: z.array(z.number()).min(1).max(200),
});

/** `draw_chart`: numbers as an SVG, and as a figure that clients can draw themselves. */
export function chartTool(): Tool {
  return functionTool({
    name: 'draw_chart',
    description: 'Draws a bar or line chart of values with labels, as an SVG.',
    effect: 'pure',
    input: Chart,
    run(chart, context) {
      const { title, kind, labels, values } = chart;
      if (labels.length !== values.length)
        throw new RunError(
          'malformed',
          `\`labels\` has ${labels.length} entries and \`values\` ${values.length}; give as many.`,
        );
      const svg = chartSvg(chart);
      context.say(
        `Drew ${values.length} ${kind === 'bar' ? 'bars' : 'points'}, ${svg.length} characters of SVG.\n`,
      );
      const name = title.replaceAll(/[^\w-]+/g, '-').toLowerCase();
      context.attach({
        kind: 'attachment',
        attachment: {
          type: 'image/svg+xml',
          title: `${name}.svg`,
          data: Buffer.from(svg).toString('base64'),
        },
      });
      const figure = {
        data: [{ type: kind === 'bar' ? 'bar' : 'scatter', x: labels, y: values }],
        layout: { title: { text: title } },
      };
      context.attach({
        kind: 'attachment',
        attachment: { type: 'application/vnd.plotly.v1+json', title, data: JSON.stringify(figure) },
      });
      const [low, high] = [Math.min(...values), Math.max(...values)];
      return { title, values: values.length, finding: `${values.length} values from ${low} to ${high}.` };
    },
  });
}
