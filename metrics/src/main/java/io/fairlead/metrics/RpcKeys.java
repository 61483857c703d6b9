package io.fairlead.metrics;

import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Names and key values of requests as OpenTelemetry's conventions for remote calls have them, where an application sets no convention. */
final class RpcKeys {
    /** Its word for a method that is not known: a service of a number has one. */
    private static final String NO_METHOD = "_OTHER";

    /** Of requests that this process makes. */
    static final ObservationConvention<RequestObservation> CALLER = new Convention<>(
            RequestObservation.class,
            "fairlead.request",
            RequestObservation::service,
            context -> keys(context.service())
                    .and("rpc.response.status_code", status(context.getError()))
                    .and("fairlead.transport", context.peer().path().transport()),
            context -> KeyValues.of(
                    "fairlead.peer", context.peer().name(), "fairlead.length", Long.toString(context.length())));

    /** Of handlers' calls, whose answer may come later than they end. */
    static final ObservationConvention<HandlingObservation> SERVICE = new Convention<>(
            HandlingObservation.class,
            "fairlead.handle",
            HandlingObservation::service,
            context -> keys(context.service()),
            context ->
                    KeyValues.of("fairlead.source", context.request().source().name()));

    private RpcKeys() {}

    private record Convention<C extends Observation.Context>(
            Class<C> type,
            String name,
            Function<C, String> service,
            Function<C, KeyValues> lowCardinality,
            Function<C, KeyValues> highCardinality)
            implements ObservationConvention<C> {
        @Override
        public boolean supportsContext(Observation.Context context) {
            return type.isInstance(context);
        }

        @Override
        public String getName() {
            return name;
        }

        @Override
        public String getContextualName(C context) {
            return service.apply(context);
        }

        @Override
        public KeyValues getLowCardinalityKeyValues(C context) {
            return lowCardinality.apply(context);
        }

        @Override
        public KeyValues getHighCardinalityKeyValues(C context) {
            return highCardinality.apply(context);
        }
    }

    private static KeyValues keys(String service) {
        int method = service.lastIndexOf('/');
        return KeyValues.of(
                KeyValue.of("rpc.system", "fairlead"),
                KeyValue.of("rpc.service", method < 0 ? service : service.substring(0, method)),
                KeyValue.of("rpc.method", method < 0 ? NO_METHOD : service.substring(method + 1)));
    }

    private static String status(@Nullable Throwable error) {
        RequestStatus status = switch (error) {
            case null -> RequestStatus.OK;
            case RequestException known -> known.status();
            default -> RequestStatus.FAILED;
        };
        return status.name();
    }
}
