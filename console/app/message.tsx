import { Text, Title2 } from '@fluentui/react-components';

/** A page that consists of a message. */
export function Message({ title, text }: { title: string; text: string }) {
  return (
    <>
      <Title2 as="h1">{title}</Title2>
      <Text as="p" block>
        {text}
      </Text>
    </>
  );
}
