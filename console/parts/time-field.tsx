import { Input } from '@fluentui/react-components';
import { useState } from 'react';
import { inputOf, timeOf } from '../base/local-time.ts';

/** Date and time, in local time. What is not complete while somebody types remains in the field and changes nothing. */
export function TimeField({
  label,
  prefix,
  value,
  onChange,
}: {
  label: string;
  prefix: string;
  /** ISO 8601 */
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}) {
  const [typed, setTyped] = useState<string>();
  return (
    <Input
      type="datetime-local"
      aria-label={label}
      contentBefore={prefix}
      value={typed ?? inputOf(value)}
      onChange={(_event, { value: text }) => {
        setTyped(text);
        const time = timeOf(text);
        if (time !== undefined || text === '') onChange(time);
      }}
      onBlur={() => setTyped(undefined)}
    />
  );
}
