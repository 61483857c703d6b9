package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.fairlead.testkit.contract.TaggedModel.Message;
import io.fairlead.testkit.contract.TaggedModel.Receive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The model that random runs are held to must itself notice what an engine can get wrong. */
class TaggedModelTest {
    private TaggedModel model = new TaggedModel();

    @BeforeEach
    void begin() {
        model = new TaggedModel();
    }

    @Test
    void shouldAcceptOrderOfPostsAndArrivals() {
        sent(0, 1, 1, 2);
        posted(TaggedModel.ANY, 1, 2, 1);
        met(0, 0, 1, 2, 2, 1);
        model.verify();
    }

    @Test
    void shouldAcceptWhatIsLeftOver() {
        sent(0, 1, 1);
        posted(TaggedModel.ANY, 1, 9);
        met(0, 0);
        model.verify();
    }

    @Test
    void shouldNoticeOvertakingMessage() {
        sent(0, 1, 1);
        posted(TaggedModel.ANY, 1, 1);
        met(0, 1, 1, 0);
        assertThrows(AssertionError.class, model::verify);
    }

    @Test
    void shouldNoticeLaterMessageTakenInsteadOfEarlier() {
        sent(0, 1, 1);
        posted(TaggedModel.ANY, 1);
        met(0, 1);
        assertThrows(AssertionError.class, model::verify);
    }

    @Test
    void shouldNoticeLaterReceiveFilledInsteadOfEarlier() {
        sent(0, 1);
        posted(TaggedModel.ANY, 1, 1);
        met(1, 0);
        assertThrows(AssertionError.class, model::verify);
    }

    @Test
    void shouldNoticeMessageLeftBesideReceive() {
        sent(0, 1);
        posted(0, 1);
        assertThrows(AssertionError.class, model::verify);
    }

    @Test
    void shouldNotOrderMessagesOfDifferentSenders() {
        sent(0, 1);
        sent(1, 1);
        posted(TaggedModel.ANY, 1, 1);
        met(0, 1, 1, 0);
        model.verify();
    }

    @Test
    void shouldNotGiveMessagesToReceivesOfOtherSenders() {
        sent(0, 1);
        posted(1, 1);
        model.verify();
        assertThrows(AssertionError.class, () -> model.met(0, 0));
    }

    @Test
    void shouldNoticeMessageThatDoesNotMatch() {
        sent(0, 1);
        posted(TaggedModel.ANY, 2);
        assertThrows(AssertionError.class, () -> model.met(0, 0));
    }

    @Test
    void shouldNoticeMessageReceivedTwice() {
        sent(0, 1);
        posted(TaggedModel.ANY, 1, 1);
        met(0, 0);
        assertThrows(AssertionError.class, () -> model.met(1, 0));
    }

    private void sent(int sender, long... tags) {
        for (long tag : tags) {
            model.sent(new Message(sender, tag, 8));
        }
    }

    private void posted(int source, long... tags) {
        for (long tag : tags) {
            model.posted(new Receive(source, tag, -1));
        }
    }

    /** Receives and the messages that they got, by turns. */
    private void met(int... pairs) {
        for (int i = 0; i < pairs.length; i += 2) {
            model.met(pairs[i], pairs[i + 1]);
        }
    }
}
