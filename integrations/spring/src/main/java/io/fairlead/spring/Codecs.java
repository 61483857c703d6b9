package io.fairlead.spring;

import io.fairlead.FairleadException;
import io.fairlead.services.PayloadCodec;
import java.util.List;
import java.util.stream.Collectors;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;

/** Finds the codec of a service or client among the application's beans. */
final class Codecs {
    private Codecs() {}

    /**
     * The codec of that name, or the only or primary one if there is no name.
     *
     * @throws FairleadException {@code CONFIGURATION} if there is none, or more than one
     */
    static PayloadCodec named(String name, BeanFactory beans, String user) {
        ObjectProvider<PayloadCodec> provider = beans.getBeanProvider(PayloadCodec.class);
        List<PayloadCodec> codecs = provider.orderedStream().toList();
        if (name.isEmpty()) {
            PayloadCodec only = provider.getIfUnique();
            if (only != null) {
                return only;
            }
        } else {
            List<PayloadCodec> found =
                    codecs.stream().filter(codec -> codec.name().equals(name)).toList();
            if (found.size() == 1) {
                return found.getFirst();
            }
        }
        String names = codecs.stream().map(PayloadCodec::name).sorted().collect(Collectors.joining(", "));
        throw new FairleadException(
                FairleadException.Reason.CONFIGURATION,
                user + " has no codec: codec=" + name + ", beans=[" + names + "]; "
                        + (codecs.isEmpty()
                                ? "add the artifact fairlead-codec-jackson or fairlead-codec-protobuf"
                                : "name one of them in the annotation"));
    }
}
