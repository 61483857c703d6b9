package io.fairlead.spring;

import io.fairlead.FairleadException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports why an application does not start by Fairlead's own line, without a stack trace. Spring makes one. */
public final class FairleadFailureAnalyzer extends AbstractFailureAnalyzer<FairleadException> {
    /** For Spring. */
    public FairleadFailureAnalyzer() {}

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, FairleadException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), action(cause.reason()), cause);
    }

    private static String action(FairleadException.Reason reason) {
        return switch (reason) {
            case CONFIGURATION ->
                "Change the property to a value that is allowed. Fairlead's config/fairlead.conf lists all of them.";
            case ADDRESS_UNAVAILABLE -> "Free the address, or set another one; port 0 takes a free one.";
            case UNKNOWN_HOST -> "Correct the host's name, or make it known to the resolver of this host.";
            default -> "Do what the description asks for, and start the application again.";
        };
    }
}
