package io.fairlead.internal.config;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigIncludeContext;
import com.typesafe.config.ConfigIncluder;
import com.typesafe.config.ConfigIncluderClasspath;
import com.typesafe.config.ConfigIncluderFile;
import com.typesafe.config.ConfigIncluderURL;
import com.typesafe.config.ConfigObject;
import java.io.File;
import java.net.URL;

/**
 * Refuses every kind of include. Only the file itself is watched for changes, so a change of an included file would be
 * missed.
 */
final class IncludesNothing implements ConfigIncluder, ConfigIncluderFile, ConfigIncluderURL, ConfigIncluderClasspath {
    @Override
    public ConfigIncluder withFallback(ConfigIncluder fallback) {
        return this;
    }

    @Override
    public ConfigObject include(ConfigIncludeContext context, String what) {
        throw refusal(what);
    }

    @Override
    public ConfigObject includeFile(ConfigIncludeContext context, File what) {
        throw refusal(what.getPath());
    }

    @Override
    public ConfigObject includeURL(ConfigIncludeContext context, URL what) {
        throw refusal(what.toString());
    }

    @Override
    public ConfigObject includeResources(ConfigIncludeContext context, String what) {
        throw refusal(what);
    }

    private static ConfigException refusal(String what) {
        return new ConfigException.Generic(
                "it may include nothing, because only the file itself is looked at for changes: include=" + what
                        + "; write what it has to say into the file");
    }
}
