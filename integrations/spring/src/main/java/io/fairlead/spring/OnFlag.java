package io.fairlead.spring;

import io.fairlead.config.ConfigKey;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Reads a flag as any other key is read. Spring's own condition takes every word but true as a no, a variable that was cleared too, and says nothing. */
abstract class OnFlag extends SpringBootCondition {
    private final ConfigKey<Boolean> flag;

    private OnFlag(ConfigKey<Boolean> flag) {
        this.flag = flag;
    }

    /** Whether anything is configured. */
    static final class Enabled extends OnFlag {
        Enabled() {
            super(SpringKeys.ENABLED);
        }
    }

    /** Whether operations are observed. */
    static final class Observations extends OnFlag {
        Observations() {
            super(SpringKeys.OBSERVATIONS);
        }
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        boolean set = PropertyReader.read(context.getEnvironment(), flag);
        return new ConditionOutcome(
                set, ConditionMessage.forCondition("Fairlead").because("fairlead." + flag.name() + "=" + set));
    }
}
