// egui's output: triangles with a texture, colours as sRGB values, premultiplied by opacity.
precision highp float;
#ifdef VERTEX

layout(location = 0) in vec2 place;
layout(location = 1) in vec2 at;
layout(location = 2) in vec4 tint;
uniform vec2 size;
out vec2 texel;
out vec4 paint;

void main() {
    texel = at;
    paint = tint;
    gl_Position = vec4(2.0 * place.x / size.x - 1.0, 1.0 - 2.0 * place.y / size.y, 0.0, 1.0);
}

#else

in vec2 texel;
in vec4 paint;
uniform sampler2D image;
out vec4 colour;

void main() {
    colour = paint * texture(image, texel);
}

#endif
