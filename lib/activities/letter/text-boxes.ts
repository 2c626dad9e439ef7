/**
 * Lets a text box of a fixed height grow with its text when nothing else depends on its height: it lies over the page
 * (`wrapNone`), and its text begins at its top. Others stay as they are, because a box that fits its text also shrinks,
 * which would move the text around it.
 */
export const withGrowingBoxes = (xml: string): string =>
  mapBoxes(xml, (box) =>
    isFixed(box) && /<wp:wrapNone[\s/>]/.test(box) && !/<wps:bodyPr\s[^>]*?\sanchor="(?:b|ctr)"/.test(box)
      ? box.replace(
          bodyProperties,
          (_all, attributes: string, inside = '') =>
            `<wps:bodyPr${attributes}>${inside.replace(/<a:(?:no|norm)Autofit[^>]*>/, '')}<a:spAutoFit/></wps:bodyPr>`,
        )
      : box,
  );

/** The texts of boxes whose height stays fixed, so that Word does not show what does not fit. */
export function fixedBoxTexts(xml: string): string[] {
  const texts: string[] = [];
  mapBoxes(withGrowingBoxes(xml), (box) => {
    if (isFixed(box)) {
      texts.push(
        box
          .slice(box.indexOf('>') + 1)
          .replaceAll('</w:p>', ' ')
          .replaceAll(/<[^>]*>/g, '')
          .trim(),
      );
    }
    return box;
  });
  return texts;
}

const bodyProperties = /<wps:bodyPr([^>]*?)(?:\/>|>(.*?)<\/wps:bodyPr>)/s;

const isFixed = (box: string): boolean =>
  /<wps:txbx[\s>]/.test(box) &&
  !box.includes('<a:spAutoFit') &&
  box.replaceAll(/<[^>]*>/g, '').includes('{{');

/** Split and not matched, because a template may contain any number of beginnings without an end. */
function mapBoxes(xml: string, change: (box: string) => string): string {
  const [before = '', ...boxes] = xml.split('<wp:anchor ');
  const changed = boxes.map((rest) => {
    const end = rest.indexOf('</wp:anchor>');
    return end === -1 ? rest : change(rest.slice(0, end)) + rest.slice(end);
  });
  return [before, ...changed].join('<wp:anchor ');
}
