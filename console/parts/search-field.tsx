import { SearchBox, type SearchBoxProps } from '@fluentui/react-components';
import { useTexts } from '../texts/use-texts.ts';

/** A field to search in, named by its placeholder unless it has another label. */
export function SearchField({
  label,
  placeholder = label,
  onChange,
  ...props
}: Pick<SearchBoxProps, 'className' | 'readOnly'> & {
  label: string;
  placeholder?: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const { common } = useTexts();
  return (
    <SearchBox
      {...props}
      aria-label={label}
      placeholder={placeholder}
      dismiss={{ 'aria-label': common.clear }}
      onChange={(_event, { value }) => onChange(value)}
    />
  );
}
